import { createHmac, hkdfSync } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { EncryptionSettings } from '../../platform/config/index.js';
import { readCookie } from '../../platform/web/cookies.js';
import { constantTimeEquals, newOpaqueToken } from '../../kernel/secret.js';

export const SESSION_COOKIE = 'joma_session';
/** Before sign-in, for the one form there is then (contract 10.38). */
export const VISITOR_COOKIE = 'joma_visitor';

const TOKEN_CHARACTERS = /^[A-Za-z0-9_-]{20,2000}$/;
const DASHBOARD_PATH = '/dashboard';

/** Anti-forgery tokens: a keyed digest of the session, which stands in every form and which no other site can read. */
@Injectable()
export class FormTokens {
  private readonly key: Buffer;

  constructor(settings: EncryptionSettings) {
    this.key = Buffer.from(hkdfSync('sha256', settings.encryptionKey, '', 'joma dashboard forms', 32));
  }

  /** @param subject the id of the session; before sign-in, the value of the visitor's cookie */
  issue(subject: string): string {
    return createHmac('sha256', this.key).update(subject).digest('base64url');
  }

  fits(token: string, issued: string): boolean {
    return constantTimeEquals(token, issued);
  }

  newVisitor(): string {
    return newOpaqueToken();
  }
}

/** The value of a cookie of ours; null for none, and for what none of ours looks like. */
export function cookieOf(request: FastifyRequest, name: string): string | null {
  const value = readCookie(request.headers.cookie, name);
  return value !== null && TOKEN_CHARACTERS.test(value) ? value : null;
}

/** `Set-Cookie` for a cookie of the dashboard; an empty value takes it away. */
export function cookie(
  name: string,
  value: string,
  {
    secure,
    maxAgeSeconds,
    path = DASHBOARD_PATH,
  }: { readonly secure: boolean; readonly maxAgeSeconds?: number; readonly path?: string },
): string {
  const age = value === '' ? '; Max-Age=0' : maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`;
  return `${name}=${value}; Path=${path}${age}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
}

/**
 * Whether a form comes from a page of this server: the host that the browser asked for (contract 10.29). What says
 * nothing about it is no browser of today; its token decides.
 */
export function isFromHere(request: FastifyRequest): boolean {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin } = request.headers;
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === request.host;
}
