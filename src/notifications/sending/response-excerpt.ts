import { isUtf8 } from 'node:buffer';

/** Bytes of UTF-8 an excerpt takes at most, and so the bytes of a body worth keeping for one. */
export const MAX_EXCERPT_BYTES = 1024;

/** Printable ASCII without a space at either end: no longer in bytes than it was. */
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/;

/**
 * Characters that would disturb a log, a terminal or the order of the text around them; joiners stay, Bangla needs
 * them.
 */
const DISTURBING = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\ufeff]+/gu;

/**
 * The beginning of a response body as text: at most 1 KiB, read as UTF-8 whatever the response claims, with U+FFFD
 * for what is not UTF-8 and a space for control characters, line breaks included. PostgreSQL can hold it: no NUL, no
 * half of a surrogate pair. Null when nothing is left to show.
 */
export function responseExcerpt(body: Buffer): string | null {
  if (body.length === 0) return null;
  const bytes = body.subarray(0, MAX_EXCERPT_BYTES);
  const text = isUtf8(bytes) ? bytes.toString('utf8') : decoded(bytes);
  // Most answers are a word or two of plain text, which needs none of what follows.
  if (PLAIN.test(text)) return text;
  const shown = text.replace(DISTURBING, ' ').trim();
  const excerpt = firstBytes(shown, MAX_EXCERPT_BYTES);
  return excerpt === '' ? null : excerpt;
}

/** U+FFFD takes three bytes where it stands for one, so text can be longer than the bytes it was read from. */
function firstBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text, 'utf8') <= maxBytes) return text;
  return decoded(Buffer.from(text, 'utf8').subarray(0, maxBytes)).trimEnd();
}

/** A decoder costs more than all the rest, so it is made only where it is needed. */
function decoded(bytes: Buffer): string {
  // `stream` leaves out a character that was cut in two at the end.
  return new TextDecoder().decode(bytes, { stream: true });
}
