import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { csvLines, type CsvValue, harmlessText } from '../../dashboard/index.js';
import { numberFromMinor } from '../../kernel/money.js';
import type { DayEntry } from './day-close.repository.js';

export const STATEMENT_FORMATS = ['csv', 'xlsx'] as const;
export type StatementFormat = (typeof STATEMENT_FORMATS)[number];

export const STATEMENT_TYPES: Readonly<Record<StatementFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/** As the API names them, the widths in characters. */
const COLUMNS: readonly (readonly [
  name: string,
  width: number,
  of: (entry: DayEntry) => string | number | null,
])[] = [
  ['kind', 12, ({ kind }) => kind],
  ['at', 26, ({ at }) => at.toISOString()],
  ['trxId', 18, ({ trxId }) => trxId],
  ['provider', 12, ({ provider }) => provider],
  ['amount', 14, ({ amountMinor }) => numberFromMinor(amountMinor)],
  ['currency', 10, ({ currency }) => currency],
  ['paymentId', 38, ({ paymentId }) => paymentId],
  ['id', 38, ({ id }) => id],
  ['counterparty', 18, ({ counterparty }) => counterparty],
  ['customerName', 24, ({ customerName }) => customerName],
  ['note', 40, ({ note }) => note],
];

/** Spreadsheets take text for UTF-8 only with this before it. */
const BYTE_ORDER_MARK = '\ufeff';
/** Lines that are sent together. */
const LINES_AT_A_TIME = 100;

/**
 * A day's entries as a file, made while it is read: neither the entries nor the file are ever in memory as a whole.
 * Text that a spreadsheet would take for a formula is neutralised in both.
 */
export async function statementOf(
  entries: AsyncIterable<DayEntry>,
  format: StatementFormat,
): Promise<Readable> {
  if (format === 'csv') return Readable.from(csvOf(entries), { highWaterMark: 1 });
  // 700 KB of code for a file that few installations ever make: read with the first of them, not at every start.
  const { writeXlsxStream } = await import('hucre/xlsx');
  const file = writeXlsxStream(rowsOf(entries), {
    name: 'Statement',
    columns: COLUMNS.map(([header, width]) => ({ header, width })),
    freezePane: { rows: 1 },
  });
  return Readable.fromWeb(file as ReadableStream);
}

async function* csvOf(entries: AsyncIterable<DayEntry>): AsyncGenerator<string> {
  yield `${BYTE_ORDER_MARK}${csvLines([COLUMNS.map(([name]) => name)])}`;
  let rows: CsvValue[][] = [];
  for await (const entry of entries) {
    rows.push(COLUMNS.map(([, , of]) => of(entry)));
    if (rows.length < LINES_AT_A_TIME) continue;
    yield csvLines(rows);
    rows = [];
  }
  if (rows.length > 0) yield csvLines(rows);
}

async function* rowsOf(entries: AsyncIterable<DayEntry>): AsyncGenerator<(string | number | null)[]> {
  for await (const entry of entries) {
    yield COLUMNS.map(([, , of]) => {
      const value = of(entry);
      return typeof value === 'string' ? harmlessText(value) : value;
    });
  }
}
