import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimit } from '../../config/index.js';
import { HttpSettings } from '../http.settings.js';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { addressGroup } from './address-group.js';
import { consume, type RateLimitState } from './rate-limit.js';

/**
 * An address may do so many times what it may do to one payment: carriers put many payers behind one (contract 8.23).
 */
const ADDRESS_FACTOR = 10;

/**
 * `RATE_LIMIT_PUBLIC`: what one address may ask of one replica without a credential (contract 8.23): so much of one
 * payment or link, or whatever else the route's parameters name, and ten times that altogether. Every answer says
 * what is left. Each module counts by itself.
 */
@Injectable()
export class PublicRateLimitGuard implements CanActivate {
  private readonly ofSubject: RateLimiterMemory | null;
  private readonly ofAddress: RateLimiterMemory | null;

  constructor({ rateLimitPublic: limit }: HttpSettings) {
    this.ofSubject = limit === null ? null : limiterOf(limit);
    this.ofAddress = limit === null ? null : limiterOfAddress(limit);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { ofSubject, ofAddress } = this;
    if (ofSubject === null || ofAddress === null) return true;
    const http = context.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    const { ip, params } = http.getRequest<FastifyRequest>();
    const address = addressGroup(ip);
    const subject = Object.values((params ?? {}) as Record<string, string>)
      .join('/')
      .toLowerCase();
    let left = Number.POSITIVE_INFINITY;
    const tell =
      (limit: number) =>
      ({ remaining, resetSeconds }: RateLimitState): void => {
        if (remaining >= left) return;
        left = remaining;
        // The three headers of draft-ietf-httpapi-ratelimit-headers-06, which clients know; later drafts fold them
        // into one.
        void reply
          .header('RateLimit-Limit', String(limit))
          .header('RateLimit-Remaining', String(remaining))
          .header('RateLimit-Reset', String(resetSeconds));
      };
    // A caller over the limit is refused before anything is kept of the names it sends.
    const stood = await ofAddress.get(address);
    if (stood !== null && stood.consumedPoints >= ofAddress.points)
      await consume(ofAddress, address, tell(ofAddress.points));
    // A refusal for one payment takes nothing from the others behind the same address.
    await consume(ofSubject, `${address} ${subject}`, tell(ofSubject.points));
    await consume(ofAddress, address, tell(ofAddress.points));
    return true;
  }
}

/**
 * Ten times `RATE_LIMIT_PUBLIC` by address alone, said by a 429 only: for what has finer limits of its own that need
 * the body, so that reading and checking bodies costs one address no more than a bounded share (contract 14.3).
 */
@Injectable()
export class AddressRateLimitGuard implements CanActivate {
  private readonly ofAddress: RateLimiterMemory | null;

  constructor({ rateLimitPublic: limit }: HttpSettings) {
    this.ofAddress = limit === null ? null : limiterOfAddress(limit);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (this.ofAddress === null) return true;
    const { ip } = context.switchToHttp().getRequest<FastifyRequest>();
    await consume(this.ofAddress, addressGroup(ip), () => undefined);
    return true;
  }
}

function limiterOf({ count, windowMs }: RateLimit): RateLimiterMemory {
  return new RateLimiterMemory({ points: count, duration: windowMs / 1_000 });
}

function limiterOfAddress({ count, windowMs }: RateLimit): RateLimiterMemory {
  return limiterOf({ count: count * ADDRESS_FACTOR, windowMs });
}
