import { randomBytes } from 'node:crypto';
import { NIL, v7, validate } from 'uuid';

/** Comes before every id: where a walk over all of them begins. */
export const FIRST_ID: string = NIL;

/**
 * A new UUID version 7: unique, and ordered by time, so that new rows land at the end of an index (contract 1.8).
 * Within a millisecond, and after a clock that was set back, they count on from a random number.
 */
export function newId(): string {
  return v7();
}

/**
 * A new UUID version 7 that ends with the last 16 bits of another id, so that a row is found on the shard of what it
 * belongs to by its id alone. 57 of its other bits are random, and the rest is time: such an id is a capability, and
 * one must not tell the next.
 */
export function newIdMarkedBy(ownerId: string, atMs: number = Date.now()): string {
  return v7({ msecs: Math.max(0, atMs), random: nextRandomBytes() }).slice(0, -MARK_DIGITS) + markOf(ownerId);
}

const UUID_BYTES = 16;
const BLOCK_BYTES = 4_096;
let block = Buffer.alloc(0);

/** Drawn in blocks: asking the system for each id by itself is a twentieth of creating a payment. */
function nextRandomBytes(): Buffer {
  if (block.length < UUID_BYTES) block = randomBytes(BLOCK_BYTES);
  const bytes = block.subarray(0, UUID_BYTES);
  block = block.subarray(UUID_BYTES);
  return bytes;
}

const MARK_DIGITS = 4;

/** The mark that the id of a payment shares with that of its store: the last 16 bits, as four hexadecimal digits. */
export function markOf(id: string): string {
  return id.slice(-MARK_DIGITS).toLowerCase();
}

/** True for any UUID in its usual spelling; what fails can name no row of ours, and must not reach a uuid column. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && validate(value);
}
