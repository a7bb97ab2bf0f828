/** True when PostgreSQL and every JSON reader can hold the text: no NUL, no half of a surrogate pair (decisions §1). */
export function isStorableText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/**
 * JSON pointers (RFC 6901) of every key or string inside `value` that cannot be stored. Depth is bounded by the parser
 * of request bodies.
 */
export function unstorableTexts(value: unknown, pointer = ''): string[] {
  if (typeof value === 'string') return isStorableText(value) ? [] : [pointer];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, member]) => {
    if (!isStorableText(key)) return [pointer];
    return unstorableTexts(member, `${pointer}/${escapePointer(key)}`);
  });
}

/** Escapes one token of a JSON pointer (RFC 6901 §3). */
export function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Characters as people count them (code points), which is how every limit of decisions §1 is meant. */
export function characterCount(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}
