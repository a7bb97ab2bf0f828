import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The request's own id when it is harmless, else a new one (contract 1.25). */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID();
}
