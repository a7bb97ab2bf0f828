import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { Configuration } from '../config/index.js';
import { consume } from './rate-limit.js';

/** `RATE_LIMIT_PUBLIC`: what one address may ask of the public endpoints of one replica (decisions §8). */
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
    if (this.limiter !== null)
      await consume(this.limiter, context.switchToHttp().getRequest<FastifyRequest>().ip);
    return true;
  }
}
