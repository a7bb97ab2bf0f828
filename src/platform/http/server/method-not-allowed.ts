import type { FastifyInstance } from 'fastify';

/** Knows which methods an address takes, so that a wrong method is a 405 with `Allow` instead of a 404. */
export class AllowedMethods {
  private readonly routes: { pattern: RegExp; method: string }[] = [];

  /** Must be called before the routes are registered. */
  observe(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', (route) => {
      if (route.url.includes('*')) return;
      const pattern = new RegExp(`^${route.url.split('/').map(segmentPattern).join('/')}$`);
      for (const method of [route.method].flat()) this.routes.push({ pattern, method });
    });
  }

  /** The methods of an address, sorted; empty when no route has it. */
  of(url: string): string[] {
    const path = url.split('?', 1)[0] ?? url;
    return [
      ...new Set(this.routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)),
    ].sort();
  }
}

function segmentPattern(segment: string): string {
  if (segment.startsWith(':')) return '[^/]+';
  return segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
