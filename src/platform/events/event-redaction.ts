import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../database/index.js';
import { Clock } from '../../kernel/clock.js';
import { FIRST_ID } from '../../kernel/ids.js';
import { replaceMembers } from '../../kernel/raw-json.js';
import { Ports } from './ports.js';
import { Subscriptions } from './subscriptions.js';

const BATCH_ROWS = 200;
/** Looked at in one run; the next one goes on behind them. */
const MAX_BATCHES = 50;
const FIRST: Place = { createdAt: new Date(0), id: FIRST_ID };

/** The fields of bodies that name payers, and their values after redaction: as if nothing was known. */
const REPLACEMENTS = {
  customerName: 'null',
  customerPhone: 'null',
  payerNumber: 'null',
  full_name: '"N/A"',
  email_address: '"N/A"',
  mobile_number: '"N/A"',
  sender: '"N/A"',
} as const;

/** Where a walk goes on, behind what it has seen. */
interface Place {
  readonly createdAt: Date;
  readonly id: string;
}

interface Row {
  readonly id: string;
  readonly created_at: Date;
  readonly store_id: string;
  readonly payment_id: string;
  readonly body: string;
  readonly waits: boolean;
}

/** Whether an event is still to be sent; asked in the transaction that would redact it, and holds until that ends. */
/** The port for whoever may still need the body of an event: found by its class. */
export abstract class EventBodyHolder {
  /** In the transaction that would redact it. What begins to need it from then on begins after the redaction. */
  abstract needs(tx: Transaction, storeId: string, eventId: string): Promise<boolean>;
}

/**
 * Takes personal data out of events' bodies once their payment has lost it, nothing of them is to be sent and every
 * subscriber has passed them (`RETENTION_PERSONAL`, contract 14.62); an extension that is switched off keeps nobody's
 * name. All else in a body stays letter by letter.
 */
@Injectable()
export class EventRedaction {
  /** Everything up to here is done; a walk begins behind it. */
  private doneUpTo = FIRST;
  /** Where a walk goes on that could not see to all in one run: what waits for years keeps nobody waiting. */
  private resumeAt: Place | null = null;

  constructor(
    private readonly database: Database,
    private readonly subscriptions: Subscriptions,
    private readonly ports: Ports,
    private readonly clock: Clock,
  ) {}

  /** Looks at the events made before an instant whose payments `listRedacted` names. */
  async redact(
    before: Date,
    listRedacted: (paymentIds: string[]) => Promise<Set<string>>,
    isStopping: () => boolean,
  ): Promise<void> {
    let cursor = this.resumeAt ?? this.doneUpTo;
    let isAllDone = this.resumeAt === null;
    for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
      this.resumeAt = null;
      const rows = await this.list(cursor, before);
      const redacted = await listRedacted([...new Set(rows.map((row) => row.payment_id))]);
      for (const row of rows) {
        if (isStopping()) return;
        const isDone = redacted.has(row.payment_id) && !row.waits && (await this.redactOne(row));
        isAllDone &&= isDone;
        if (isAllDone) this.doneUpTo = placeOf(row);
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < BATCH_ROWS) return;
      cursor = placeOf(last);
      this.resumeAt = cursor;
    }
  }

  private async list(after: Place, before: Date): Promise<Row[]> {
    return this.database.query<Row>(
      `SELECT e.id, e.created_at, e.store_id, e.payment_id, e.body,
              EXISTS (SELECT FROM subscribers s
                      LEFT JOIN subscriber_positions p ON p.subscriber = s.name AND p.store_id = e.store_id
                      WHERE s.name = ANY($5::text[])
                        AND (e.position IS NULL OR p.position IS NULL OR p.position < e.position)) AS waits
       FROM events e
       WHERE (e.created_at, e.id) > ($1, $2::uuid) AND e.created_at < $3 AND e.body IS NOT NULL AND e.redacted_at IS NULL
         AND e.payment_id IS NOT NULL
       ORDER BY e.created_at, e.id LIMIT $4`,
      [after.createdAt, after.id, before, BATCH_ROWS, this.subscriptions.names],
    );
  }

  private async redactOne({ id, store_id: storeId, body }: Row): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      for (const holder of this.ports.implementationsOf(EventBodyHolder))
        if (await holder.needs(tx, storeId, id)) return false;
      await tx.execute('UPDATE events SET body = $3, redacted_at = $4 WHERE id = $1 AND store_id = $2', [
        id,
        storeId,
        replaceMembers(body, REPLACEMENTS),
        this.clock.now(),
      ]);
      return true;
    });
  }
}

function placeOf(row: Row): Place {
  return { createdAt: row.created_at, id: row.id };
}
