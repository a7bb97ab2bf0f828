import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';

/**
 * Headers that every answer carries. Nothing of ours loads from elsewhere, so the default policy allows this server alone;
 * the checkout page sets a stricter one of its own. Upgrading to https is left to whoever terminates TLS: over plain http
 * from another host it would break every asset.
 */
export async function registerSecurityHeaders(fastify: FastifyInstance): Promise<void> {
  await fastify.register(helmet, {
    global: true,
    strictTransportSecurity: false,
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
  fastify.addHook('onRequest', async (request, reply) => {
    void reply.header('X-Request-Id', String(request.id));
    if (request.url.startsWith('/api/') || request.url.startsWith('/health/')) {
      void reply.header('Cache-Control', 'no-store');
    }
  });
}
