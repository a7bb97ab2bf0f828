import { randomBytes } from 'node:crypto';
import { v7, validate } from 'uuid';

/** A new UUID version 7: unique, and ordered by time, so that new rows land at the end of an index (decisions §1). */
export function newId(): string {
  return v7();
}

/** True for any UUID in its usual spelling; what fails can name no row of ours, and must not reach a uuid column. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && validate(value);
}

const RANDOM_BYTES = 10;
const IDS_PER_BLOCK = 256;
let block = Buffer.alloc(0);
let used = 0;

/** Drawn in blocks: one at a time they are a measurable part of creating a payment. */
function nextRandomBytes(): Buffer {
  if (used === block.length) {
    block = randomBytes(RANDOM_BYTES * IDS_PER_BLOCK);
    used = 0;
  }
  used += RANDOM_BYTES;
  return block.subarray(used - RANDOM_BYTES, used);
}

/** What the id of a payment shares with that of its store: the last 16 bits, as four hexadecimal digits. */
export function markOf(id: string): string {
  return id.slice(-4).toLowerCase();
}

/**
 * A new UUID version 7 that ends with the last 16 bits of another id, so that a row is found on the shard of what it belongs
 * to by its id alone. All other 58 bits that are not the time are random: such an id is a capability, and one must not tell
 * the next.
 */
export function newIdMarkedBy(ownerId: string, atMs: number = Date.now()): string {
  return marked(markOf(ownerId), nextRandomBytes(), atMs);
}

/** A new UUID version 7 for what is never looked up in order, such as requests: cheaper than `newId`, which counts within a millisecond. */
export function newUnorderedId(): string {
  const random = nextRandomBytes();
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
