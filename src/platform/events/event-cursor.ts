import { isId } from '../../kernel/ids.js';

/** Where a merchant's pull goes on: behind a place in the feed, or behind an event named by its id. */
export type EventCursor = { readonly position: bigint } | { readonly eventId: string };

const PREFIX = 'p.';
const MAX_POSITION = 2n ** 63n - 1n;

/** Opaque to merchants. One place has one cursor, so a cursor can be kept and compared. */
export function encodeEventCursor(position: bigint): string {
  return Buffer.from(`${PREFIX}${position}`).toString('base64url');
}

/** Reads `after` (contract 7.56): a `nextCursor`, or an event's id; null for anything else. */
export function decodeEventCursor(after: string): EventCursor | null {
  if (isId(after)) return { eventId: after.toLowerCase() };
  const match = /^p\.(\d{1,19})$/.exec(Buffer.from(after, 'base64url').toString('latin1'));
  if (!match) return null;
  const position = BigInt(match[1]!);
  return position <= MAX_POSITION && encodeEventCursor(position) === after ? { position } : null;
}
