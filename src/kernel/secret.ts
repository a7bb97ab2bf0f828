import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Random part of every secret: 32 bytes, 256 bits of entropy, written as 43 characters of base64url. */
const SECRET_BYTES = 32;

export type SecretPrefix = 'joma_sk_' | 'joma_wh_';

/** A new API key (`joma_sk_…`) or inbound webhook secret (`joma_wh_…`), contract 2.34. */
export function newSecret(prefix: SecretPrefix): string {
  return prefix + randomBytes(SECRET_BYTES).toString('base64url');
}

/** A new Standard Webhooks signing secret: `whsec_` and 32 bytes in base64 (contract 7.10). */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** A new opaque token, for instance a refresh token: 32 random bytes in base64url. */
export function newOpaqueToken(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/**
 * SHA-256 of a secret, under which it is looked up. A plain digest is enough because secrets hold 256 random bits;
 * passwords, which do not, are hashed with Argon2id instead.
 */
export function secretDigest(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** Whether two digests of `secretDigest` are the same, in time that does not depend on where they differ. */
export function equalDigests(left: Buffer, right: Buffer): boolean {
  return timingSafeEqual(left, right);
}

/** The same for two values of any length. */
export function constantTimeEquals(left: string | Buffer, right: string | Buffer): boolean {
  return timingSafeEqual(hash('sha256', left, 'buffer'), hash('sha256', right, 'buffer'));
}

/** Lower-case hex HMAC-SHA256 (specification §5.7). The key is the UTF-8 bytes of the secret as users see it. */
export function hmacSha256Hex(body: Buffer | string, secret: string): string {
  return createHmac('sha256', Buffer.from(secret, 'utf8')).update(body).digest('hex');
}
