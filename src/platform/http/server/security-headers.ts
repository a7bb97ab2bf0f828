import type { FastifyInstance } from 'fastify';
import helmet, { type HelmetOptions } from 'helmet';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServiceSettings } from '../../config/index.js';

const ONE_YEAR_SECONDS = 365 * 24 * 60 * 60;

/**
 * Headers that every answer carries. Nothing of ours loads from elsewhere, so the default policy allows this server
 * alone; the checkout page sets a stricter one of its own.
 *
 * Browsers are told to stay with https only in production and only when `PUBLIC_URL` says that there is https:
 * elsewhere it would lock a developer out of every other service on localhost. Other host names of the domain are not
 * spoken for.
 */
export function registerSecurityHeaders(
  fastify: FastifyInstance,
  { production, publicUrl }: ServiceSettings,
): void {
  const httpsOnly = production && publicUrl.startsWith('https://');
  const headers = headersOf({
    strictTransportSecurity: httpsOnly ? { maxAge: ONE_YEAR_SECONDS, includeSubDomains: false } : false,
    frameguard: { action: 'deny' },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    referrerPolicy: { policy: 'no-referrer' },
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        // Swagger UI writes style attributes; nothing else needs this, and no secret can be read with a style.
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:'],
        fontSrc: ["'self'", 'data:'],
        connectSrc: ["'self'"],
        formAction: ["'self'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
  });
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.headers(headers).header('x-request-id', request.id);
    // The route decides, not the spelling of the address (contract 14.48). Without a route the answer is an error, and
    // errors are not stored either.
    const route = request.routeOptions.url ?? '/api/';
    if (route.startsWith('/api/') || route.startsWith('/health/'))
      void reply.header('cache-control', 'no-store');
    if (route.startsWith('/dashboard')) void reply.header('cross-origin-resource-policy', 'same-origin');
    done();
  });
}

/**
 * The headers that helmet would write on every answer. It is always the same, so it is asked once: a fortieth of a
 * request's cost.
 */
function headersOf(options: HelmetOptions): Record<string, string> {
  const headers: Record<string, string> = {};
  const response = {
    setHeader: (name: string, value: string) => (headers[name.toLowerCase()] = value),
    removeHeader: () => undefined,
  };
  helmet(options)({} as IncomingMessage, response as unknown as ServerResponse, (error) => {
    if (error !== undefined) throw error as Error;
  });
  return headers;
}
