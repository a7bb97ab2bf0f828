import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseCoding, encodePage } from './assets.js';
import { chooseLanguage, type Language, languageCookie, languageOf } from './language.js';

/** Everything comes from this server, and nothing inline runs; goes with each page's answer. */
export const PAGE_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Answers with a whole page. It holds what is so at this moment for this user: nobody keeps it. */
export async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  page: string,
): Promise<void> {
  const coding = chooseCoding(request.headers['accept-encoding']);
  if (coding !== 'identity') void reply.header('Content-Encoding', coding);
  void reply
    .status(status)
    .type('text/html; charset=utf-8')
    .header('Content-Security-Policy', PAGE_SECURITY_POLICY)
    .header('Cache-Control', 'no-store')
    .header('Vary', 'Accept-Encoding, Accept-Language, Cookie')
    .send(await encodePage(page, coding));
}

/** The language a request is to be answered in. */
export function languageFor(request: FastifyRequest): Language {
  return chooseLanguage({
    query: (request.query as { lang?: unknown }).lang,
    cookie: request.headers.cookie,
    acceptLanguage: request.headers['accept-language'],
  });
}

/** Remembers the language that a request names with `?lang=`, and only such a choice. */
export function rememberLanguage(request: FastifyRequest, reply: FastifyReply, secure: boolean): void {
  const chosen = languageOf((request.query as { lang?: unknown }).lang);
  if (chosen !== null) void reply.header('Set-Cookie', languageCookie(chosen, secure));
}
