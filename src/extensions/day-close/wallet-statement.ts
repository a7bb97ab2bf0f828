import { pipeline, Readable } from 'node:stream';
import { parseInstant } from '../../platform/http/index.js';
import type { MinorUnits } from '../../kernel/money.js';
import { isStorableText } from '../../kernel/text.js';
import { dayAt } from '../../kernel/time-zone.js';
import { normaliseTrxId } from '../../wallets/index.js';
import { columnsMissing, statementUnreadable } from './day-close.problems.js';
import { isOutgoing, readAmount, readDay, StatementDays } from './statement-cells.js';
import { type ColumnNames, type ColumnPlaces, findColumns, STATEMENT_COLUMNS } from './statement-columns.js';

/** Money that the wallet says it has received. */
export interface StatementLine {
  /** Counted from 1, the header included. */
  readonly line: number;
  /** As it is compared; what cannot be an id stays as it was written. */
  readonly trxId: string;
  readonly amountMinor: MinorUnits;
}

/** Exports have a few lines about the account before the header. */
const MAX_LINES_BEFORE_HEADER = 50;
/** The longest line, in bytes, and the most lines (contract 14.41). A longer record has left a quotation mark open. */
const MAX_LINE_BYTES = 64 * 1024;
const MAX_LINES = 200_000;
/** Characters that are looked at to find the separator of the columns. */
const SAMPLE_BYTES = 1_024;
const MAX_SHOWN_CHARACTERS = 64;

/**
 * A wallet's statement as it is read: a line at a time, whatever its length. Lines without an id or an amount
 * (totals, blanks) and what went out are passed over.
 */
export class WalletStatement {
  /** The days of all lines, once they are read. */
  readonly days = new StatementDays();

  constructor(
    private readonly file: Readable,
    private readonly names: ColumnNames,
    private readonly timeZone: string,
  ) {}

  /** @throws DomainError `statement.columns_missing`, `statement.unreadable` */
  async *lines(): AsyncGenerator<StatementLine> {
    try {
      yield* this.read();
    } finally {
      this.file.destroy();
    }
  }

  private async *read(): AsyncGenerator<StatementLine> {
    let places: ColumnPlaces | null = null;
    let header: readonly string[] = [];
    let missing: readonly string[] = STATEMENT_COLUMNS;
    let looked = 0;
    for await (const { record, line } of recordsOf(this.file)) {
      if (places === null) {
        const found = findColumns(record, this.names);
        if ('places' in found) [places, header] = [found.places, record];
        else if (found.missing.length < missing.length) missing = found.missing;
        looked += 1;
        if (places === null && looked >= MAX_LINES_BEFORE_HEADER) break;
        continue;
      }
      // The header again, where pages were put together.
      if (record[places.trxId] === header[places.trxId]) continue;
      const read = this.lineOf(record, places, line);
      if (read !== null) yield read;
    }
    if (places === null) throw columnsMissing(missing);
  }

  private lineOf(record: readonly string[], places: ColumnPlaces, line: number): StatementLine | null {
    const id = (record[places.trxId] ?? '').trim();
    const written = (record[places.amount] ?? '').trim();
    if (id === '' || written === '') return null;
    if (places.direction !== null && isOutgoing(record[places.direction] ?? '')) return null;
    if (!isStorableText(id)) throw statementUnreadable(line, 'its id holds what is no text');
    const amountMinor = readAmount(written);
    if (amountMinor === null) {
      throw statementUnreadable(line, `"${written.slice(0, MAX_SHOWN_CHARACTERS)}" is no amount`);
    }
    if (amountMinor <= 0) return null;
    const at = (record[places.date] ?? '').trim();
    const instant = parseInstant(at);
    const day = readDay(instant === null ? at : dayAt(instant, this.timeZone));
    if (day !== null) this.days.add(day);
    return { line, trxId: normaliseTrxId(id) ?? id.slice(0, MAX_SHOWN_CHARACTERS), amountMinor };
  }
}

async function* recordsOf(file: Readable): AsyncGenerator<{ record: string[]; line: number }> {
  const { sample, chunks } = await sampled(file);
  const { CsvError, parse } = await import('csv-parse');
  const parser = parse({
    bom: true,
    delimiter: delimiterOf(sample.toString('utf8')),
    info: true,
    max_record_size: MAX_LINE_BYTES,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    trim: true,
  });
  // Its errors are the parser's; whoever reads that meets them.
  pipeline(Readable.from(withinLimits(chunks)), parser, () => undefined);
  try {
    for await (const { record, info } of parser as AsyncIterable<{
      record: string[];
      info: { lines: number };
    }>)
      yield { record, line: info.lines };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw statementUnreadable(Number(error['lines'] ?? 1), 'it is no CSV');
  }
}

/** The beginning of a stream, and all of it. */
async function sampled(file: Readable): Promise<{ sample: Buffer; chunks: AsyncGenerator<Buffer> }> {
  const source = file[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
  let sample = Buffer.alloc(0);
  let isOver = false;
  while (!isOver && sample.length < SAMPLE_BYTES) {
    const next = await source.next();
    if (next.done === true) isOver = true;
    else sample = Buffer.concat([sample, next.value]);
  }
  async function* chunks(): AsyncGenerator<Buffer> {
    yield sample;
    while (!isOver) {
      const next = await source.next();
      if (next.done === true) return;
      yield next.value;
    }
  }
  return { sample, chunks: chunks() };
}

/** Passes the chunks on. @throws DomainError `statement.unreadable` for a line that is too long, or too many lines */
async function* withinLimits(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let line = 1;
  let lineBytes = 0;
  for await (const chunk of chunks) {
    // In old spreadsheets a line ends with a carriage return alone.
    const ending = chunk.includes('\n') ? '\n' : '\r';
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(ending, from);
      lineBytes += (end === -1 ? chunk.length : end) - from;
      if (lineBytes > MAX_LINE_BYTES) throw statementUnreadable(line, 'it has more than 64 KiB');
      // The last line may have an ending, too: the empty rest behind it is no line.
      if (line > MAX_LINES + 1 && lineBytes > 0)
        throw statementUnreadable(line, 'there are more than 200,000 lines');
      if (end === -1) break;
      line += 1;
      lineBytes = 0;
      from = end + 1;
    }
    yield chunk;
  }
}

/** The separator of most columns: a comma unless there are more semicolons or tabs. */
function delimiterOf(sample: string): string {
  const unquoted = sample.replace(/"[^"]*"/g, '');
  const count = (delimiter: string) => unquoted.split(delimiter).length;
  return [';', '\t'].reduce((best, other) => (count(other) > count(best) ? other : best), ',');
}
