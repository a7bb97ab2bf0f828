/** Characters that turn the direction of the text around them, and could show a cell other than it is. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Characters with which a formula begins, in every width and form that a spreadsheet reads as one of them. */
const FORMULA = '=+\\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u2212\u207a\u207b\u207c';
/** What spreadsheets pass over before a formula: blanks of all kinds, characters without a width, and quotation marks. */
const PASSED_OVER = '\\s\\x00-\\x1f\u00ad\u200b-\u200d\u2060\ufeff"\'';
/** The beginning of a text, or of a part of it that a spreadsheet with other separators would put into a cell of its own. */
const BEGINS_FORMULA = new RegExp(`(^|[,;|\\t\\r\\n])([${PASSED_OVER}]*)(?=[${FORMULA}])`, 'g');

/**
 * Text that a spreadsheet would take for a formula gets an apostrophe before the formula, in every spelling that a spreadsheet knows;
 * characters that turn the direction of text are dropped (contract 14.59; OWASP, CSV injection).
 */
export function harmlessText(text: string): string {
  return text
    .replace(DIRECTION, '')
    .replace(BEGINS_FORMULA, "$1'$2")
    .replace(/^[\t\r\n]/, "'$&");
}

/** A value as a cell of CSV, harmless and quoted where it has to be. */
export function csvCell(value: string | number | boolean | null | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const harmless = harmlessText(value);
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
