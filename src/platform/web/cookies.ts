import { parseCookie } from 'cookie';

const MAX_HEADER_CHARACTERS = 16_384;

/** A cookie in a request's `Cookie` header; null for none, and where the header is longer than browsers make them. */
export function readCookie(header: string | undefined, name: string): string | null {
  if (header === undefined || header.length > MAX_HEADER_CHARACTERS) return null;
  return parseCookie(header)[name] ?? null;
}
