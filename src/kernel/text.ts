/**
 * True when PostgreSQL and every JSON reader can hold the text: no NUL, no half of a surrogate pair (contract 1.19).
 */
export function isStorableText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/**
 * JSON pointers (RFC 6901) of the keys and strings inside `value` that cannot be stored, at most `limit` of them.
 * Depth is bounded by the parser of request bodies. A pointer is made for what is found alone: those of a whole body,
 * with long keys in each other, would be many times as long as the body.
 */
export function unstorableTexts(value: unknown, limit = Number.POSITIVE_INFINITY): string[] {
  const found: string[] = [];
  collectUnstorable(value, [], found, limit);
  return found;
}

function collectUnstorable(value: unknown, path: string[], found: string[], limit: number): void {
  if (found.length >= limit) return;
  if (typeof value === 'string') {
    if (!isStorableText(value)) found.push(pointerOf(path));
    return;
  }
  if (value === null || typeof value !== 'object') return;
  for (const [key, member] of Object.entries(value)) {
    if (found.length >= limit) return;
    if (!isStorableText(key)) {
      found.push(pointerOf(path));
      continue;
    }
    path.push(key);
    collectUnstorable(member, path, found, limit);
    path.pop();
  }
}

/** Longest pointer that is given back (contract 14.1): what was sent as a key is the sender's own. */
export const MAX_POINTER_CHARACTERS = 256;

/** The JSON pointer of a path of keys, cut after 256 characters. */
export function pointerOf(path: readonly string[]): string {
  let pointer = '';
  for (const key of path) {
    pointer += `/${escapePointer(key.slice(0, MAX_POINTER_CHARACTERS))}`;
    if (pointer.length > MAX_POINTER_CHARACTERS) break;
  }
  return cutPointer(pointer);
}

/** A pointer of at most 256 characters, never ending in half of one. */
export function cutPointer(pointer: string): string {
  return pointer.length <= MAX_POINTER_CHARACTERS
    ? pointer
    : pointer.slice(0, MAX_POINTER_CHARACTERS).toWellFormed();
}

/** Escapes one token of a JSON pointer (RFC 6901 §3). */
export function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Characters as people count them (code points), which is how every limit of contract 1.17 is meant. */
export function characterCount(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}
