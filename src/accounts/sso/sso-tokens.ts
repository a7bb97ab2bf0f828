import { Injectable } from '@nestjs/common';
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import { Clock } from '../../kernel/clock.js';
import type { User } from '../users/user.js';
import {
  ALGORITHMS,
  CLOCK_TOLERANCE_SECONDS,
  IdentityProvider,
  PROVIDER_TIMEOUT_MS,
  providerAway,
} from './identity-provider.js';
import { isAccessToken } from './sso-claims.js';
import type { IdentityProviderSettings } from './sso.settings.js';
import { SsoUsers } from './sso-users.js';

/** Keys are fetched again after this time, and when a token names an unknown one, but not more often than that. */
const KEYS_MAX_AGE_MS = 10 * 60_000;
const KEYS_COOLDOWN_MS = 5_000;

/**
 * Accepts access tokens of the identity provider as Bearer, beside the service's own (`OIDC_ISSUER`). `jose`
 * checks them: `openid-client` checks no access tokens, and providers that do not follow RFC 9068 are accepted, too.
 */
@Injectable()
export class SsoTokens {
  private keys: Promise<JWTVerifyGetKey> | null = null;
  private keysFailedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly provider: IdentityProvider,
    private readonly clock: Clock,
    private readonly users: SsoUsers,
  ) {}

  /** Whether a token names the company's provider; it may still be forged. */
  async claimsToBeOne(token: string): Promise<boolean> {
    const { settings } = this.provider;
    if (settings === null) return false;
    const { decodeJwt } = await jose();
    try {
      return decodeJwt(token).iss === settings.issuer;
    } catch {
      return false;
    }
  }

  /**
   * Null for a token that does not hold, and for a deactivated account.
   *
   * @throws DomainError `auth.forbidden` without a role here; `auth.last_admin` when the token would leave no active
   * admin; `service.unavailable` when the provider's keys cannot be fetched
   */
  async findUser(token: string): Promise<User | null> {
    const { settings } = this.provider;
    if (settings === null) return null;
    const verified = await this.verified(token, settings);
    if (verified === null || !isAccessToken(verified.type, verified.payload)) return null;
    return this.users.findUser(verified.payload, settings);
  }

  private async verified(
    token: string,
    { issuer, audience }: IdentityProviderSettings,
  ): Promise<{ payload: JWTPayload; type: string | undefined } | null> {
    const keys = await this.currentKeys();
    const { errors, jwtVerify } = await jose();
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        requiredClaims: ['exp', 'sub'],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: this.clock.now(),
      });
      return { payload, type: protectedHeader.typ };
    } catch (error) {
      // The plain class stands for an answer of the provider that is no key set.
      const isAway = !(error instanceof errors.JOSEError) || error.code === 'ERR_JOSE_GENERIC';
      if (isAway || error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid)
        throw providerAway(error);
      return null;
    }
  }

  private async currentKeys(): Promise<JWTVerifyGetKey> {
    // Anybody can send a token that names the provider; they must not make us ask it without end.
    if (performance.now() - this.keysFailedAtMs < KEYS_COOLDOWN_MS)
      throw providerAway(new Error('it did not answer just now'));
    this.keys ??= this.fetchKeys();
    try {
      return await this.keys;
    } catch (error) {
      this.keys = null;
      this.keysFailedAtMs = performance.now();
      throw providerAway(error);
    }
  }

  private async fetchKeys(): Promise<JWTVerifyGetKey> {
    const { jwks_uri: address } = await this.provider.describe();
    const { createRemoteJWKSet } = await jose();
    return createRemoteJWKSet(new URL(address ?? ''), {
      timeoutDuration: PROVIDER_TIMEOUT_MS,
      cacheMaxAge: KEYS_MAX_AGE_MS,
      cooldownDuration: KEYS_COOLDOWN_MS,
    });
  }
}

/** Read when somebody's company is asked for the first time, and never where there is none. */
const jose = () => import('jose');
