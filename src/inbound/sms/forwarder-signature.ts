import { createHmac } from 'node:crypto';
import { constantTimeEquals } from '../../kernel/secret.js';

/** How far a signed time may be from ours, in milliseconds (contract 6.5). */
const SIGNED_TIME_TOLERANCE_MS = 5 * 60 * 1000;
const SIGNED_TIME_TOLERANCE_SECONDS = SIGNED_TIME_TOLERANCE_MS / 1000;

const HTTPSMS_ISSUER = 'api.httpsms.com';
const HEX_SHA256 = /^[0-9a-f]{64}$/i;
const UNIX_SECONDS = /^[0-9]{10,11}$/;

/** The signature of a request that was made with the store's webhook secret. */
export type ForwarderSignature =
  /** SMSGate: over the body and the time behind it. */
  | { readonly kind: 'timed'; readonly signature: string; readonly timestamp: string }
  /** textbee: over the body. Repeating it brings the same message again, which counts once. */
  | { readonly kind: 'plain'; readonly signature: string }
  /** httpSMS: a token of ten minutes for this address. */
  | { readonly kind: 'token'; readonly token: string };

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The one signature that a request has; null without one, or with one that cannot be. */
export function signatureOf(headers: Headers): ForwarderSignature | null {
  const one = (name: string) => (typeof headers[name] === 'string' ? headers[name] : null);
  const signature = one('x-signature');
  const timestamp = one('x-timestamp');
  if (signature !== null && HEX_SHA256.test(signature)) {
    if (timestamp === null) return { kind: 'plain', signature };
    return UNIX_SECONDS.test(timestamp) ? { kind: 'timed', signature, timestamp } : null;
  }
  const token = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(one('authorization') ?? '')?.[1];
  return token === undefined ? null : { kind: 'token', token };
}

export interface SignedRequest {
  readonly body: Buffer;
  /** As it came; no signature covers it. */
  readonly contentType: string | undefined;
  readonly storeId: string;
  /** The path that was asked for. */
  readonly path: string;
  readonly now: Date;
}

/** Whether the holder of the secret made this signature for this request. */
export async function isSignedWith(
  webhookSecret: string,
  signature: ForwarderSignature,
  request: SignedRequest,
): Promise<boolean> {
  if (signature.kind === 'token') return isTokenOf(webhookSecret, signature.token, request);
  if (!isAsSigned(signature, request)) return false;
  const hmac = createHmac('sha256', webhookSecret).update(request.body);
  if (signature.kind === 'timed') {
    const awayMs = Math.abs(Number(signature.timestamp) * 1000 - request.now.getTime());
    if (awayMs > SIGNED_TIME_TOLERANCE_MS) return false;
    hmac.update(signature.timestamp);
  }
  return constantTimeEquals(hmac.digest(), Buffer.from(signature.signature, 'hex'));
}

/**
 * Apps that sign a body write JSON. Read as a form, or a body and its time together as a body that needs none, the
 * same bytes would say something else: what a stranger wrote in an SMS, say.
 */
function isAsSigned({ kind }: ForwarderSignature, { body, contentType = '' }: SignedRequest): boolean {
  if (/form/i.test(contentType)) return false;
  return kind !== 'plain' || body.subarray(-16).toString('latin1').trimEnd().endsWith('}');
}

async function isTokenOf(
  webhookSecret: string,
  token: string,
  { storeId, path, now }: SignedRequest,
): Promise<boolean> {
  // Read with the first such token: one forwarder of all signs so.
  const { jwtVerify } = await import('jose');
  try {
    const { payload } = await jwtVerify(token, new TextEncoder().encode(webhookSecret), {
      algorithms: ['HS256'],
      issuer: HTTPSMS_ISSUER,
      clockTolerance: SIGNED_TIME_TOLERANCE_SECONDS,
      requiredClaims: ['exp', 'aud'],
      currentDate: now,
    });
    const audiences = [payload.aud ?? []].flat();
    return audiences.some((audience) => isAddressed(audience, storeId, path));
  } catch {
    return false;
  }
}

/** Behind a proxy nobody knows the name we are called by, so the address counts from its path on. */
function isAddressed(audience: string, storeId: string, path: string): boolean {
  if (!URL.canParse(audience)) return false;
  const address = new URL(audience);
  return address.pathname.endsWith(path) && address.searchParams.get('store')?.toLowerCase() === storeId;
}
