import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { Configuration } from '../config/index.js';
import { addressGroup } from './address-group.js';
import { consume } from './rate-limit.js';

/**
 * `RATE_LIMIT_PUBLIC`: what one address may ask of one replica without a credential (decisions §8): the checkout, refreshing
 * and signing out. Every answer says what is left of it. Each module counts by itself.
 */
@Injectable()
export class PublicRateLimitGuard implements CanActivate {
  private readonly limiter: RateLimiterMemory | null;

  constructor(configuration: Configuration) {
    const limit = configuration.rateLimitPublic;
    this.limiter =
      limit === null
        ? null
        : new RateLimiterMemory({ points: limit.count, duration: limit.windowMs / 1_000 });
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { limiter } = this;
    if (limiter === null) return true;
    const http = context.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    await consume(
      limiter,
      addressGroup(http.getRequest<FastifyRequest>().ip),
      ({ remaining, resetSeconds }) => {
        // The three headers of draft-ietf-httpapi-ratelimit-headers-06, which clients know; later drafts fold them into one.
        void reply
          .header('RateLimit-Limit', String(limiter.points))
          .header('RateLimit-Remaining', String(remaining))
          .header('RateLimit-Reset', String(resetSeconds));
      },
    );
    return true;
  }
}
