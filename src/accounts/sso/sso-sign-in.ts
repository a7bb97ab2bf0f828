import { Injectable } from '@nestjs/common';
import type { IDToken } from 'openid-client';
import { boxOwner, SecretBox } from '../../platform/config/index.js';
import { Clock } from '../../kernel/clock.js';
import { AccountsService } from '../users/accounts.service.js';
import { AuthService, type SignIn } from '../sign-in/auth.service.js';
import { IdentityProvider, providerAway } from './identity-provider.js';
import { isIdTokenFor } from './sso-claims.js';
import { SsoUsers } from './sso-users.js';

/** Somebody who went to sign in at the identity provider must be back within this time (contract 10.37). */
export const COMPANY_SIGN_IN_MS = 10 * 60_000;

/** The name and roles stand in claims of these scopes at every provider we know; others answer them anyway. */
const SCOPE = 'openid email profile';
const MAX_CODE_CHARACTERS = 4_096;
const TICKET_OWNER = boxOwner('company-sign-in', 'ticket');

/** The sealed state of a sign-in, which the browser carries to the provider and back. */
interface Ticket {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** The page of the dashboard that opens after the sign-in. */
  readonly next: string;
  readonly untilMs: number;
}

export interface SignedInBySso {
  /** Token of the new session, for its cookie. */
  readonly token: string;
  readonly next: string;
}

/**
 * Signing in to the dashboard at the identity provider (contract 10.37): authorization code with PKCE. What is needed
 * on the way back stands sealed in a cookie of this browser, so that any replica can go on, and nobody can be signed
 * in with an answer that another browser asked for.
 */
@Injectable()
export class SsoSignIn {
  constructor(
    private readonly provider: IdentityProvider,
    private readonly box: SecretBox,
    private readonly clock: Clock,
    private readonly users: SsoUsers,
    private readonly accounts: AccountsService,
    private readonly auth: AuthService,
  ) {}

  get isOffered(): boolean {
    return this.provider.settings?.clientId != null;
  }

  /** Where to send the browser, and what it is to bring back. @throws DomainError `service.unavailable` */
  async begin(callback: string, next: string): Promise<{ address: string; ticket: string }> {
    const openid = await import('openid-client');
    const client = await this.provider.client();
    const ticket: Ticket = {
      state: openid.randomState(),
      nonce: openid.randomNonce(),
      verifier: openid.randomPKCECodeVerifier(),
      next,
      untilMs: this.clock.now().getTime() + COMPANY_SIGN_IN_MS,
    };
    const { authorization_endpoint: page } = client.serverMetadata();
    if (page === undefined) throw providerAway(new Error('It names no page to sign in at.'));
    const address = openid.buildAuthorizationUrl(client, {
      redirect_uri: callback,
      scope: SCOPE,
      state: ticket.state,
      nonce: ticket.nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(ticket.verifier),
      code_challenge_method: 'S256',
    });
    const sealed = this.box.seal(JSON.stringify(ticket), TICKET_OWNER);
    return { address: address.href, ticket: sealed.toString('base64url') };
  }

  /**
   * Exchanges the code, and opens a session for whoever the ID token names. Null when this browser did not ask, asked
   * too long ago, or the provider or the token says no.
   *
   * @param answer the address with which the provider sent the browser back, its query included
   * @throws DomainError `auth.forbidden` without a role here, `auth.last_admin`, `service.unavailable`,
   * `auth.invalid_credentials`
   */
  async finish(
    answer: URL,
    sealedTicket: string | null,
    from: Pick<SignIn, 'address' | 'userAgent'>,
  ): Promise<SignedInBySso | null> {
    const { settings } = this.provider;
    const ticket = this.openTicket(sealedTicket);
    if (ticket === null || settings === null) return null;
    if ((answer.searchParams.get('code') ?? '').length > MAX_CODE_CHARACTERS) return null;
    const claims = await this.exchange(answer, ticket);
    const found = claims === null ? null : await this.users.findUser(claims, settings);
    if (found === null) return null;
    const user = await this.accounts.getUser(found.id);
    return { token: await this.auth.openBrowser(user, from), next: ticket.next };
  }

  /** The claims of the ID token that the provider gives for the code; null where it, or the token, does not hold. */
  private async exchange(answer: URL, { state, nonce, verifier }: Ticket): Promise<IDToken | null> {
    const openid = await import('openid-client');
    const client = await this.provider.client();
    if (client.serverMetadata().token_endpoint === undefined)
      throw providerAway(new Error('It exchanges no codes.'));
    try {
      const tokens = await openid.authorizationCodeGrant(client, answer, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
      });
      const claims = tokens.claims();
      const { typ: type } = (await import('jose')).decodeProtectedHeader(tokens.id_token ?? '');
      const { client_id: clientId } = client.clientMetadata();
      return claims !== undefined && isIdTokenFor(clientId, type, claims) ? claims : null;
    } catch (error) {
      if (saysNo(error, openid)) return null;
      throw providerAway(error);
    }
  }

  private openTicket(sealed: string | null): Ticket | null {
    if (sealed === null) return null;
    try {
      const ticket = JSON.parse(this.box.open(Buffer.from(sealed, 'base64url'), TICKET_OWNER)) as Ticket;
      return ticket.untilMs > this.clock.now().getTime() ? ticket : null;
    } catch {
      return null;
    }
  }
}

/** True when the provider refuses, or its ID token is not valid; false when it is away, or does not speak OpenID. */
function saysNo(error: unknown, openid: typeof import('openid-client')): boolean {
  if (error instanceof openid.AuthorizationResponseError) return true;
  if (error instanceof openid.ResponseBodyError || error instanceof openid.WWWAuthenticateChallengeError)
    return true;
  if (!(error instanceof openid.ClientError) || error.code === undefined) return false;
  if (error.code === 'OAUTH_RESPONSE_IS_NOT_CONFORM')
    return error.cause instanceof Response && error.cause.status >= 400 && error.cause.status < 500;
  return !['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_JSON'].includes(error.code);
}
