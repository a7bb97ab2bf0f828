import { Injectable } from '@nestjs/common';
import type { Configuration, ServerMetadata } from 'openid-client';
import { Clock } from '../../kernel/clock.js';
import { DomainError, serviceUnavailable } from '../../kernel/domain-error.js';
import { identityProviderOf, type IdentityProviderSettings, SsoSettings } from './sso.settings.js';

/** For each answer of the company's identity provider, its body included. */
export const PROVIDER_TIMEOUT_MS = 5_000;
/** How long what the provider says about itself is believed. */
const DESCRIPTION_MAX_AGE_MS = 10 * 60_000;
const RETRY_AFTER_SECONDS = 5;

/** Asymmetric ones alone: with a symmetric one, whoever knows the public key could sign. */
export const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
export const CLOCK_TOLERANCE_SECONDS = 30;

/** The company's identity provider: its description, and the client of `openid-client` that is set up for it. */
@Injectable()
export class IdentityProvider {
  /** Null where none is set up. */
  readonly settings: IdentityProviderSettings | null;
  private found: { readonly description: Promise<ServerMetadata>; readonly atMs: number } | null = null;

  constructor(
    settings: SsoSettings,
    private readonly clock: Clock,
  ) {
    this.settings = identityProviderOf(settings);
  }

  /**
   * OpenID Connect Discovery 1.0 §4: the provider says where its doors are, and must say its own name with it.
   *
   * @throws DomainError `service.unavailable` when it does not answer, or describes another one
   */
  async describe(): Promise<ServerMetadata> {
    const now = performance.now();
    if (this.found === null || now - this.found.atMs > DESCRIPTION_MAX_AGE_MS)
      this.found = { description: this.discover(), atMs: now };
    const { found } = this;
    try {
      return await found.description;
    } catch (error) {
      if (this.found === found) this.found = null;
      throw providerAway(error);
    }
  }

  /**
   * Makes the client for one sign-in. It goes by the service's clock, and fetches the provider's keys anew, so that it
   * knows a key that has just been changed.
   *
   * @throws DomainError `service.unavailable`
   */
  async client(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.required();
    if (clientId === null) throw new Error('OIDC_CLIENT_ID is not set.');
    const description = await this.describe();
    const openid = await import('openid-client');
    const secret = clientSecret ?? undefined;
    const skewSeconds = Math.round((this.clock.now().getTime() - Date.now()) / 1_000);
    const client = new openid.Configuration(
      { ...description, id_token_signing_alg_values_supported: algorithmsOf(description) },
      clientId,
      {
        client_secret: secret,
        [openid.clockSkew]: skewSeconds,
        [openid.clockTolerance]: CLOCK_TOLERANCE_SECONDS,
      },
      secret === undefined
        ? openid.None()
        : takesSecretInForm(description)
          ? openid.ClientSecretPost(secret)
          : openid.ClientSecretBasic(secret),
    );
    client.timeout = PROVIDER_TIMEOUT_MS / 1_000;
    client[openid.customFetch] = fetchCompleted;
    // Without it, the library does not check the signature of an ID token from the token endpoint.
    openid.enableNonRepudiationChecks(client);
    if (isPlainHttp(issuer)) openid.allowInsecureRequests(client);
    return client;
  }

  private async discover(): Promise<ServerMetadata> {
    const { issuer, audience, clientId } = this.required();
    const openid = await import('openid-client');
    const found = await openid.discovery(new URL(issuer), clientId ?? audience, undefined, openid.None(), {
      timeout: PROVIDER_TIMEOUT_MS / 1_000,
      [openid.customFetch]: fetchCompleted,
      execute: isPlainHttp(issuer) ? [openid.allowInsecureRequests] : [],
    });
    const description = found.serverMetadata();
    // For Microsoft's providers the library accepts other issuers than the one that was asked for.
    if (description.issuer !== issuer)
      throw new Error('The identity provider describes another one than OIDC_ISSUER.');
    const { jwks_uri: keys, authorization_endpoint: page, token_endpoint: exchange } = description;
    for (const door of [keys, page, exchange])
      if (door?.startsWith('http:') === true && !isPlainHttp(issuer))
        throw new Error('The identity provider has a door without https.');
    return description;
  }

  private required(): IdentityProviderSettings {
    if (this.settings === null) throw new Error('OIDC_ISSUER is not set.');
    return this.settings;
  }
}

export function providerAway(cause: unknown): DomainError {
  if (cause instanceof DomainError) return cause;
  return serviceUnavailable.saying('The identity provider cannot be reached.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });
}

/** The algorithms of ID tokens: all of ours if the provider lists none, where the library would take RS256 alone. */
function algorithmsOf({ id_token_signing_alg_values_supported: listed }: ServerMetadata): string[] {
  return listed === undefined ? ALGORITHMS : ALGORITHMS.filter((algorithm) => listed.includes(algorithm));
}

/** True when the provider takes a client's secret in the form only, and not in the header, as is the rule. */
function takesSecretInForm({ token_endpoint_auth_methods_supported: methods }: ServerMetadata): boolean {
  return (
    methods !== undefined &&
    !methods.includes('client_secret_basic') &&
    methods.includes('client_secret_post')
  );
}

/** False in production, where OIDC_ISSUER must have https. */
function isPlainHttp(issuer: string): boolean {
  return issuer.startsWith('http:');
}

/**
 * Fetches for `openid-client`, and adds to an answer what the library requires and this service does not need: the
 * content type of JSON (RFC 8414 §3.2), and beside the ID token an access token and its type (RFC 6749 §5.1). Users of
 * a provider that leaves them out can sign in all the same.
 */
async function fetchCompleted(address: string, options: RequestInit): Promise<Response> {
  const answer = await fetch(address, options);
  if (!answer.ok) return answer;
  const told = (await answer.json()) as object;
  const missing = options.method === 'POST' ? { access_token: 'unused', token_type: 'bearer' } : {};
  return Response.json({ ...missing, ...told });
}
