import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Store } from '../../stores/index.js';
import type { DayEntry } from './day-close.repository.js';
import { STATEMENT_TYPES, type StatementFormat, statementOf } from './day-statement.js';
import { DaysService } from './days.service.js';

/** Sends a day's statement, for the API and for the page. */
@Injectable()
export class DayStatements {
  constructor(private readonly days: DaysService) {}

  /** @throws DomainError before anything is sent: for what is no day, or while the database is away */
  async send(reply: FastifyReply, store: Store, date: string, format: StatementFormat): Promise<void> {
    const file = await statementOf(await begun(this.days.entries(store, date)), format);
    void reply
      .status(200)
      .type(STATEMENT_TYPES[format])
      .header('Content-Disposition', `attachment; filename="statement-${date}.${format}"`)
      .header('Cache-Control', 'no-store')
      .send(file);
  }
}

/** Waits for the first entry, so that what goes wrong is answered as an error and not as a file that breaks off. */
async function begun(entries: AsyncGenerator<DayEntry>): Promise<AsyncGenerator<DayEntry>> {
  const first = await entries.next();
  return (async function* () {
    try {
      if (first.done !== true) yield first.value;
      yield* entries;
    } finally {
      await entries.return(undefined);
    }
  })();
}
