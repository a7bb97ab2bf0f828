import { createSecretKey, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import type { FastifyReply, FastifyRequest } from 'fastify';
import passport from 'passport';
import { type SecretOrKeyProvider, Strategy } from 'passport-jwt';
import { Clock } from '../../kernel/clock.js';
import {
  ACCESS_TOKEN_ALGORITHM,
  ACCESS_TOKEN_AUDIENCE,
  ACCESS_TOKEN_ISSUER,
  type AccessTokenClaims,
  accessTokenPayload,
  NO_SESSION,
  bearerToken,
  readClaims,
} from './access-token.js';
import { SsoTokens } from '../sso/sso-tokens.js';
import { type User, userOf, type Restriction, restrictionOf } from '../users/user.js';
import { type UserOfSession, SessionsRepository } from './sessions.repository.js';
import { AccountsSettings } from '../accounts.settings.js';

const STRATEGY = 'user';

/** The user and session that a request comes from. */
export interface SignedIn {
  readonly user: User;
  /** `NO_SESSION` for who was signed in by the company's identity provider. */
  readonly sessionId: string;
  /** The restriction that the user must lift first; null for none. */
  readonly restriction: Restriction | null;
}

/** Writes access tokens, and finds out whose token a request carries (contract 2.11, specification §5.4). */
@Injectable()
export class AccessTokens {
  /** An own instance: the one that Passport shares would hand the requests of one application to another's strategy. */
  private readonly passport = new passport.Authenticator();
  /** Known as a symmetric key once and for all, so that it is never tried as a public one. */
  private readonly key: KeyObject;

  constructor(
    private readonly settings: AccountsSettings,
    private readonly clock: Clock,
    private readonly jwt: JwtService,
    private readonly sessions: SessionsRepository,
    private readonly ssoTokens: SsoTokens,
  ) {
    this.key = createSecretKey(settings.jwtSecret, 'utf8');
    this.passport.use(STRATEGY, this.strategy());
  }

  issue(claims: AccessTokenClaims): string {
    return this.jwt.sign(accessTokenPayload(claims, this.clock.now()), {
      privateKey: this.key,
      algorithm: ACCESS_TOKEN_ALGORITHM,
      issuer: ACCESS_TOKEN_ISSUER,
      audience: ACCESS_TOKEN_AUDIENCE,
    });
  }

  /**
   * Null when there is no token, or one that does not hold any more. Asks the database once for every token that is
   * properly signed, so that a sign-out, a deactivation, a new role and a new password show in the very next request.
   *
   * @throws DomainError `service.unavailable` when the database, or the identity provider for its first token, cannot
   * be reached; `auth.forbidden` when the identity provider gives the user no role here
   */
  async authenticate(request: FastifyRequest, reply: FastifyReply): Promise<SignedIn | null> {
    const token = bearerToken(request.headers.authorization);
    if (token !== null && (await this.ssoTokens.claimsToBeOne(token))) {
      const user = await this.ssoTokens.findUser(token);
      return user === null ? null : { user, sessionId: NO_SESSION, restriction: null };
    }
    return new Promise((resolve, reject) => {
      const handle = this.passport.authenticate(
        STRATEGY,
        { session: false },
        (error: Error | null, signedIn?: SignedIn | false) => {
          if (error) reject(error);
          else resolve(signedIn || null);
        },
      ) as (request: unknown, reply: unknown, next: (error: unknown) => void) => void;
      handle(request, reply, reject);
    });
  }

  private strategy(): Strategy {
    const secretOrKeyProvider: SecretOrKeyProvider = (_request, _token, done) =>
      // The declared types are older than key objects; jsonwebtoken takes them.
      done(null, this.key as unknown as Buffer);
    return new Strategy(
      {
        secretOrKeyProvider,
        jwtFromRequest: (request: FastifyRequest) => bearerToken(request.headers.authorization),
        algorithms: [ACCESS_TOKEN_ALGORITHM],
        issuer: ACCESS_TOKEN_ISSUER,
        audience: ACCESS_TOKEN_AUDIENCE,
        // `readClaims` looks at the expiry, by the service's clock, and insists on one.
        ignoreExpiration: true,
      },
      (payload: unknown, done) => {
        this.signedInBy(payload).then(
          (signedIn) => done(null, signedIn ?? false),
          (error: unknown) => done(error, false),
        );
      },
    );
  }

  private async signedInBy(payload: unknown): Promise<SignedIn | null> {
    const now = this.clock.now();
    const claims = readClaims(payload, now);
    if (claims === null) return null;
    const user = await this.sessions.findUser(claims, now);
    return user === null ? null : this.signedIn(user, claims.sessionId);
  }

  private signedIn(found: UserOfSession, sessionId: string): SignedIn {
    return { user: userOf(found), sessionId, restriction: restrictionOf(found, this.settings) };
  }
}
