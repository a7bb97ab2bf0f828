import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

/** An OpenID Connect provider on loopback: discovery, keys, and tokens as a test wants them. */
export interface IdentityProvider {
  readonly issuer: string;
  /** How often its keys were asked for. */
  readonly keyRequests: () => number;
  /** The public key in force. */
  readonly publicKey: () => JWK;
  /** From now on another key signs; the old one is not published any more. */
  rotate(): Promise<void>;
  /** Answers 503 to everything, or works again. */
  setAway(away: boolean): void;
  /** What its token endpoint answers, 400 when null; each request's form is kept in `exchanges`. */
  answerCodes(tokens: Record<string, unknown> | null): void;
  readonly exchanges: { readonly form: URLSearchParams; readonly authorization: string | null }[];
  /** `header` and `claims` replace what a right token has; undefined leaves it out. */
  token(claims: Record<string, unknown>, header?: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

export const AUDIENCE = 'joma-of-the-company';

export async function startIdentityProvider(): Promise<IdentityProvider> {
  let number = 0;
  let keyRequests = 0;
  let isAway = false;
  let pair = await newPair();
  let tokens: Record<string, unknown> | null = null;
  const exchanges: { form: URLSearchParams; authorization: string | null }[] = [];
  const server: Server = createServer((request, response) => void answer(request, response));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<ServerResponse> {
    if (isAway) return response.writeHead(503).end();
    if (request.url === '/token') {
      const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
      exchanges.push({ form, authorization: request.headers.authorization ?? null });
      const [status, told] = tokens === null ? [400, { error: 'invalid_grant' }] : [200, tokens];
      return response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(told));
    }
    const isKeys = request.url === '/keys';
    if (isKeys) keyRequests += 1;
    const doors = { authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` };
    const body = isKeys ? { keys: [pair.jwk] } : { issuer, jwks_uri: `${issuer}/keys`, ...doors };
    // Some providers do not say that it is JSON.
    return response.writeHead(200).end(JSON.stringify(body));
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function newPair() {
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), kid: `key-${(number += 1)}`, alg: 'ES256', use: 'sig' };
    return { jwk, privateKey };
  }

  return {
    issuer,
    keyRequests: () => keyRequests,
    publicKey: () => pair.jwk,
    rotate: async () => {
      pair = await newPair();
    },
    setAway: (away) => {
      isAway = away;
    },
    answerCodes: (answer) => {
      tokens = answer;
    },
    exchanges,
    token: async (claims, header = {}) => {
      const seconds = Math.floor(Date.now() / 1_000);
      const right = { iss: issuer, aud: AUDIENCE, iat: seconds, exp: seconds + 300, email_verified: true };
      return new SignJWT({ ...right, ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: pair.jwk.kid, ...header })
        .sign(pair.privateKey, { crit: { 'x-unknown': true } });
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
