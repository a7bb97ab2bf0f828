/**
 * An array as PostgreSQL writes it, for values that need no quotes: ids, numbers, times, and words of our own. The
 * driver looks at every character of every element, which costs more than all the rest of a large batch.
 */
export function plainArray(values: readonly (string | number | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`;
}

/** The same for any text. */
export function textArray(values: readonly (string | null)[]): string {
  return `{${values.map((value) => (value === null ? 'NULL' : quoted(value))).join(',')}}`;
}

const SPECIAL = /["\\]/;
/** Characters that JSON writes in another way than PostgreSQL reads within quotes, or may. */
const UNLIKE_JSON = /[\u0000-\u001f\ud800-\udfff]/;

function quoted(value: string): string {
  if (!SPECIAL.test(value)) return `"${value}"`;
  // Both mark quotes and backslashes alike, and the engine's own way takes a third of the time: bodies of events are
  // full of them.
  if (!UNLIKE_JSON.test(value)) return JSON.stringify(value);
  return `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
