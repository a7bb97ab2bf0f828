/**
 * An array as PostgreSQL writes it, for values that need no quotes: ids, numbers, times, and words of our own. The driver
 * looks at every character of every element, which costs more than all the rest of a large batch.
 */
export function plainArray(values: readonly (string | number | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`;
}

/** The same for any text. */
export function textArray(values: readonly (string | null)[]): string {
  return `{${values.map((value) => (value === null ? 'NULL' : quoted(value))).join(',')}}`;
}

const SPECIAL = /["\\]/;

function quoted(value: string): string {
  return SPECIAL.test(value) ? `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"` : `"${value}"`;
}
