import { randomBytes } from 'node:crypto';
import { NIL, v7, validate } from 'uuid';

/** Comes before every id: where a walk over all of them begins. */
export const FIRST_ID: string = NIL;

/** The millisecond of the last id, and what counts within it. */
let lastMs = 0;
let count = 0;
const MAX_COUNT = 0x7fffffff;

/**
 * A new UUID version 7: unique, and ordered by time, so that new rows land at the end of an index (contract 1.8).
 * Within a millisecond they count on from a random number (RFC 9562 §6.2, method 1).
 */
export function newId(): string {
  const random = nextRandomBytes(UUID_BYTES);
  const now = Date.now();
  if (now > lastMs || count === MAX_COUNT) {
    lastMs = Math.max(now, lastMs + 1);
    // One bit is left free, so that there is room to count.
    count = random.readUInt32BE(0) & (MAX_COUNT >>> 1);
  } else count += 1;
  return v7({ random, msecs: lastMs, seq: count });
}

/** True for any UUID in its usual spelling; what fails can name no row of ours, and must not reach a uuid column. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && validate(value);
}

const UUID_BYTES = 16;
const RANDOM_BYTES = 10;
const BLOCK_BYTES = 4_096;
let block = Buffer.alloc(0);
let used = 0;

/** Drawn in blocks: one at a time they are a measurable part of creating a payment. */
function nextRandomBytes(length: number): Buffer {
  if (used + length > block.length) {
    block = randomBytes(BLOCK_BYTES);
    used = 0;
  }
  used += length;
  return block.subarray(used - length, used);
}

/** The mark that the id of a payment shares with that of its store: the last 16 bits, as four hexadecimal digits. */
export function markOf(id: string): string {
  return id.slice(-4).toLowerCase();
}

/**
 * A new UUID version 7 that ends with the last 16 bits of another id, so that a row is found on the shard of what it
 * belongs to by its id alone. All other 58 bits that are not the time are random: such an id is a capability, and one
 * must not tell the next.
 */
export function newIdMarkedBy(ownerId: string, atMs: number = Date.now()): string {
  return marked(markOf(ownerId), nextRandomBytes(RANDOM_BYTES), atMs);
}

/**
 * A new UUID version 7 for what is never looked up in order, such as requests: cheaper than `newId`, which counts
 * within a millisecond.
 */
export function newUnorderedId(): string {
  const random = nextRandomBytes(RANDOM_BYTES);
  return marked(random.toString('hex', 8, 10), random, Date.now());
}

function marked(mark: string, random: Buffer, atMs: number): string {
  const time = Math.max(0, atMs).toString(16).padStart(12, '0');
  // 12 bits behind the version, 14 behind the variant, 32 before the mark: 58 of the 64 that were drawn.
  const behindVersion = (random.readUInt16BE(0) & 0x0fff) | 0x7000;
  const behindVariant = (random.readUInt16BE(2) & 0x3fff) | 0x8000;
  const rest = random.toString('hex', 4, 8);
  return `${time.slice(0, 8)}-${time.slice(8)}-${behindVersion.toString(16)}-${behindVariant.toString(16)}-${rest}${mark}`;
}
