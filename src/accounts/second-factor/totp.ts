import { createHmac, randomBytes } from 'node:crypto';
import { constantTimeEquals } from '../../kernel/secret.js';

/** RFC 6238 as every authenticator app knows it: SHA-1, six digits, steps of 30 s. */
const STEP_SECONDS = 30;
const DIGITS = 6;
const SECRET_BYTES = 20;

/** Steps before and after now whose codes are taken, because clocks differ and users type slowly. */
const TOLERATED_STEPS = 1;

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** A new secret in base32, 160 bits as RFC 4226 §4 asks for. */
export function newTotpSecret(): string {
  return base32(randomBytes(SECRET_BYTES));
}

/** The `otpauth:` address that an authenticator app reads from a QR code. */
export function totpUri(secret: string, account: string): string {
  const label = encodeURIComponent(`Joma:${account}`);
  return `otpauth://totp/${label}?secret=${secret}&issuer=Joma&algorithm=SHA1&digits=${DIGITS}&period=${STEP_SECONDS}`;
}

/** The time step that a code belongs to, now or one step off; null for none. */
export function stepOfCode(secret: string, code: string, now: Date): number | null {
  const current = stepAt(now);
  let found: number | null = null;
  for (let step = current - TOLERATED_STEPS; step <= current + TOLERATED_STEPS; step += 1)
    if (constantTimeEquals(codeOfStep(secret, step), code)) found = step;
  return found;
}

/** The code at an instant. */
export function totpCode(secret: string, now: Date): string {
  return codeOfStep(secret, stepAt(now));
}

function stepAt(now: Date): number {
  return Math.floor(now.getTime() / 1_000 / STEP_SECONDS);
}

/** HOTP (RFC 4226 §5.3) of a step. */
function codeOfStep(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.max(0, step)));
  const digest = createHmac('sha1', fromBase32(secret)).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 0xf;
  const number = (digest.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS;
  return String(number).padStart(DIGITS, '0');
}

/** RFC 4648 base32 without padding. */
export function base32(bytes: Buffer): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += BASE32[(value >> (bits - 5)) & 31];
    value &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + BASE32[(value << (5 - bits)) & 31];
}

function fromBase32(text: string): Buffer {
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const letter of text) {
    value = (value << 5) | BASE32.indexOf(letter);
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >> bits) & 0xff);
    value &= (1 << bits) - 1;
  }
  return Buffer.from(bytes);
}
