import type { FastifyInstance } from 'fastify';

/** The only addresses that a page of another origin may read; none of them takes a credential (contract 2.4). */
const PUBLIC_PREFIX = '/api/v1/payments/public/';

const PREFLIGHT_SECONDS = '600';

const EXPOSED_HEADERS = 'Retry-After, X-Request-Id, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset';

/**
 * Cross-origin answers for the public checkout endpoints alone. No other address ever names an origin or allows
 * `X-Api-Key`, so a key that somebody put into a browser does not work from there (specification §5.5).
 */
export function registerPublicCors(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!request.url.startsWith(PUBLIC_PREFIX)) return done();
    void reply.header('Access-Control-Allow-Origin', '*');
    void reply.header('Access-Control-Expose-Headers', EXPOSED_HEADERS);
    if (request.method !== 'OPTIONS') return done();
    void reply
      .header('Access-Control-Allow-Methods', 'GET, POST')
      .header('Access-Control-Allow-Headers', 'Content-Type')
      .header('Access-Control-Max-Age', PREFLIGHT_SECONDS)
      .status(204)
      .send();
  });
}
