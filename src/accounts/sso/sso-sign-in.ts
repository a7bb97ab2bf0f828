import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { boxOwner, SecretBox } from '../../platform/config/index.js';
import { identityProviderOf, SsoSettings } from './sso.settings.js';
import { Clock } from '../../kernel/clock.js';
import { constantTimeEquals } from '../../kernel/secret.js';
import { AccountsService } from '../users/accounts.service.js';
import { AuthService, type SignIn } from '../sign-in/auth.service.js';
import {
  describeProvider,
  PROVIDER_TIMEOUT_MS,
  type ProviderDescription,
  providerAway,
} from './identity-provider.js';
import { SsoTokens } from './sso-tokens.js';

/** Somebody who went to sign in at the identity provider must be back within this time (contract 10.37). */
export const COMPANY_SIGN_IN_MS = 10 * 60_000;

/** 256 bits, the most that PKCE's verifier needs (RFC 7636 §4.1). */
const RANDOM_BYTES = 32;
/** The name and roles stand in claims of these scopes at every provider we know; others answer them anyway. */
const SCOPE = 'openid email profile';
const MAX_CODE_CHARACTERS = 4_096;
const TICKET_OWNER = boxOwner('company-sign-in', 'ticket');
/** How long what the provider says about its doors is believed. */
const DESCRIPTION_MAX_AGE_MS = 10 * 60_000;

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

/** The parameters with which the provider sent the browser back. */
export interface ProviderAnswer {
  readonly ticket: string | null;
  readonly state: string;
  readonly code: string;
  /** RFC 9207: which provider answered, where it says so; else empty. */
  readonly issuer: string;
}

/**
 * Signing in to the dashboard at the identity provider (contract 10.37): authorization code with PKCE. What is needed
 * on the way back stands sealed in a cookie of this browser, so that any replica can go on, and nobody can be signed
 * in with an answer that another browser asked for.
 */
@Injectable()
export class SsoSignIn {
  private description: { readonly of: Promise<ProviderDescription>; readonly atMs: number } | null = null;

  constructor(
    private readonly settings: SsoSettings,
    private readonly box: SecretBox,
    private readonly clock: Clock,
    private readonly tokens: SsoTokens,
    private readonly accounts: AccountsService,
    private readonly auth: AuthService,
  ) {}

  get isOffered(): boolean {
    return this.client !== null;
  }

  private get client(): { issuer: string; clientId: string; clientSecret: string | null } | null {
    const provider = identityProviderOf(this.settings);
    if (provider === null || provider.clientId === null) return null;
    return { issuer: provider.issuer, clientId: provider.clientId, clientSecret: provider.clientSecret };
  }

  /** Where to send the browser, and what it is to bring back. @throws DomainError `service.unavailable` */
  async begin(callback: string, next: string): Promise<{ address: string; ticket: string }> {
    const { issuer, clientId } = this.required();
    const { authorizationAddress } = await this.describe(issuer);
    if (authorizationAddress === null) throw providerAway(new Error('It names no page to sign in at.'));
    const untilMs = this.clock.now().getTime() + COMPANY_SIGN_IN_MS;
    const ticket: Ticket = { state: random(), nonce: random(), verifier: random(), next, untilMs };
    const address = new URL(authorizationAddress);
    const asked = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: callback,
      scope: SCOPE,
      state: ticket.state,
      nonce: ticket.nonce,
      code_challenge: createHash('sha256').update(ticket.verifier).digest('base64url'),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(asked)) address.searchParams.set(name, value);
    const sealed = this.box.seal(JSON.stringify(ticket), TICKET_OWNER);
    return { address: address.href, ticket: sealed.toString('base64url') };
  }

  /**
   * Exchanges the code, and opens a session for whoever the ID token names. Null when this browser did not ask, asked
   * too long ago, or the provider or the token says no.
   *
   * @throws DomainError `auth.forbidden` without a role here, `auth.last_admin`, `service.unavailable`,
   * `auth.invalid_credentials`
   */
  async finish(
    callback: string,
    answer: ProviderAnswer,
    from: Pick<SignIn, 'address' | 'userAgent'>,
  ): Promise<SignedInBySso | null> {
    const { issuer, clientId } = this.required();
    const ticket = this.openTicket(answer.ticket);
    if (ticket === null || !constantTimeEquals(answer.state, ticket.state)) return null;
    if (answer.issuer !== '' && answer.issuer !== issuer) return null;
    if (answer.code === '' || answer.code.length > MAX_CODE_CHARACTERS) return null;
    const idToken = await this.exchange(callback, answer.code, ticket.verifier);
    if (idToken === null) return null;
    const found = await this.tokens.findUserByIdToken(idToken, { clientId, nonce: ticket.nonce });
    if (found === null) return null;
    const user = await this.accounts.getUser(found.id);
    return { token: await this.auth.openBrowser(user, from), next: ticket.next };
  }

  private async exchange(callback: string, code: string, verifier: string): Promise<string | null> {
    const { issuer, clientId, clientSecret } = this.required();
    const { tokenAddress, takesSecretInForm } = await this.describe(issuer);
    if (tokenAddress === null) throw providerAway(new Error('It exchanges no codes.'));
    const form = new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: callback,
      code_verifier: verifier,
    });
    const headers: Record<string, string> = { Accept: 'application/json' };
    if (clientSecret === null || takesSecretInForm) form.set('client_id', clientId);
    if (clientSecret !== null && takesSecretInForm) form.set('client_secret', clientSecret);
    if (clientSecret !== null && !takesSecretInForm)
      headers['Authorization'] = basicCredential(clientId, clientSecret);
    try {
      const answer = await fetch(tokenAddress, {
        method: 'POST',
        redirect: 'error',
        headers,
        body: form,
        signal: AbortSignal.timeout(PROVIDER_TIMEOUT_MS),
      });
      if (answer.status >= 500) throw new Error(`The identity provider answered ${answer.status}.`);
      if (!answer.ok) {
        await answer.body?.cancel();
        return null;
      }
      const { id_token: idToken } = (await answer.json()) as { id_token?: unknown };
      return typeof idToken === 'string' ? idToken : null;
    } catch (error) {
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

  private async describe(issuer: string): Promise<ProviderDescription> {
    const now = performance.now();
    if (this.description === null || now - this.description.atMs > DESCRIPTION_MAX_AGE_MS)
      this.description = { of: describeProvider(issuer), atMs: now };
    const { description } = this;
    try {
      return await description.of;
    } catch (error) {
      if (this.description === description) this.description = null;
      throw providerAway(error);
    }
  }

  private required(): { issuer: string; clientId: string; clientSecret: string | null } {
    if (this.client === null) throw new Error('OIDC_CLIENT_ID is not set.');
    return this.client;
  }
}

function random(): string {
  return randomBytes(RANDOM_BYTES).toString('base64url');
}

/** RFC 6749 §2.3.1: both parts as in a form, before they become Base64. */
function basicCredential(clientId: string, clientSecret: string): string {
  const part = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);
  return `Basic ${Buffer.from(`${part(clientId)}:${part(clientSecret)}`).toString('base64')}`;
}
