import { stringify } from 'csv-stringify/sync';

/** Characters that change the direction of text; a cell with one can look different from its content. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Characters with which a formula begins, with the variants that spreadsheets read as the same. */
const FORMULA = '=+\\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u2212\u207a\u207b\u207c';
/** Characters that spreadsheets ignore before a formula: white space, zero-width characters, quotation marks. */
const PASSED_OVER = '\\s\\x00-\\x1f\u00ad\u200b-\u200d\u2060\ufeff"\'';
/** A formula at the beginning of a text, or behind a separator, where another spreadsheet begins a new cell. */
const BEGINS_FORMULA = new RegExp(`(^|[,;|\\t\\r\\n])([${PASSED_OVER}]*)(?=[${FORMULA}])`, 'g');

/**
 * Text in a form that no spreadsheet runs as a formula: an apostrophe precedes each formula, and characters that
 * change the direction of text are removed (contract 14.59; OWASP, CSV injection).
 */
export function harmlessText(text: string): string {
  return text
    .replace(DIRECTION, '')
    .replace(BEGINS_FORMULA, "$1'$2")
    .replace(/^[\t\r\n]/, "'$&");
}

export type CsvValue = string | number | boolean | null | undefined;

/** A lone line feed, which does not end a line here, ends one for some spreadsheets. */
const OPTIONS = { record_delimiter: '\r\n', quoted_match: /[\r\n]/ } as const;

/** Values as lines of CSV, harmless and quoted where they have to be. */
export function csvLines(rows: readonly (readonly CsvValue[])[]): string {
  const cells = (row: readonly CsvValue[]) =>
    row.map((value) => (typeof value === 'string' ? harmlessText(value) : String(value ?? '')));
  return stringify(rows.map(cells), OPTIONS);
}
