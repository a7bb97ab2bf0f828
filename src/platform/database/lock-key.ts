import { hash } from 'node:crypto';

/**
 * A 64-bit advisory lock key for a set of words. The first word names the purpose. Two sets may share a key by chance;
 * that costs a wait, never correctness.
 */
export function lockKey(...words: readonly string[]): bigint {
  return hash('sha256', JSON.stringify(words), 'buffer').readBigInt64BE(0);
}
