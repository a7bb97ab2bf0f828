import { timingSafeEqual } from 'node:crypto';
import { type CanActivate, type ExecutionContext, Injectable, NotFoundException } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ServiceSettings } from '../config/index.js';
import { HttpSettings, isInNetworks, isLoopback } from '../http/index.js';
import { MetricsSettings } from './metrics.settings.js';
import { secretDigest } from '../../kernel/secret.js';

/** Headers of a forwarded request (contract 14.57), besides all whose names begin with `x-forwarded-`. */
const FORWARDING_HEADERS = ['forwarded', 'via', 'x-real-ip'];

/**
 * Lets in who may read `/metrics` in production: this machine, the networks of `METRICS_ALLOW`, and who has
 * `METRICS_TOKEN`; for everybody else there is nothing (contract 14.55).
 */
@Injectable()
export class MetricsGuard implements CanActivate {
  constructor(
    private readonly settings: MetricsSettings,
    private readonly service: ServiceSettings,
    private readonly http: HttpSettings,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const { metricsAllow } = this.settings;
    if (!this.service.production) return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (this.hasToken(request) || isInNetworks(request.ip, metricsAllow)) return true;
    if (isLoopback(request.ip) && !this.mayBeForwarded(request)) return true;
    throw new NotFoundException();
  }

  private hasToken({ headers }: FastifyRequest): boolean {
    const { metricsToken } = this.settings;
    const [, sent] = /^Bearer +([\x21-\x7e]{1,256})$/i.exec(headers.authorization ?? '') ?? [];
    if (metricsToken === null || sent === undefined) return false;
    return timingSafeEqual(secretDigest(sent), secretDigest(metricsToken));
  }

  /**
   * A proxy on this machine that nobody has named in `TRUST_PROXY` hands on strangers' requests from loopback, and so
   * does a trusted one that does not say for whom.
   */
  private mayBeForwarded({ headers, raw }: FastifyRequest): boolean {
    const isForwarded = Object.keys(headers).some(
      (name) => FORWARDING_HEADERS.includes(name) || name.startsWith('x-forwarded-'),
    );
    if (!isForwarded) return false;
    const isTrusted = isInNetworks(raw.socket.remoteAddress ?? '', this.http.trustProxy);
    return !isTrusted || headers['x-forwarded-for'] === undefined;
  }
}
