import { DomainError, serviceUnavailable } from '../../kernel/domain-error.js';

/** For each answer of the company's identity provider, its body included. */
export const PROVIDER_TIMEOUT_MS = 5_000;
const RETRY_AFTER_SECONDS = 5;

/** The description that the identity provider publishes about itself. */
export interface ProviderDescription {
  readonly keysAddress: URL;
  /**
   * The address where users sign in, and the one that turns a code into tokens; null for a provider that only issues
   * tokens.
   */
  readonly authorizationAddress: URL | null;
  readonly tokenAddress: URL | null;
  /** Whether a client's secret is to stand in the form, and not in the header that is the rule. */
  readonly takesSecretInForm: boolean;
}

/**
 * OpenID Connect Discovery 1.0 §4: the provider says where its doors are, and must say its own name with it.
 *
 * @throws Error when it does not answer, or describes another one
 */
export async function describeProvider(issuer: string): Promise<ProviderDescription> {
  const answer = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, {
    redirect: 'error',
    signal: AbortSignal.timeout(PROVIDER_TIMEOUT_MS),
  });
  if (!answer.ok) throw new Error(`The identity provider answered ${answer.status}.`);
  const document = (await answer.json()) as Record<string, unknown>;
  const keysAddress = addressIn(document['jwks_uri'], issuer);
  if (document['issuer'] !== issuer || keysAddress === null)
    throw new Error('The identity provider describes another one than OIDC_ISSUER.');
  const methods = document['token_endpoint_auth_methods_supported'];
  return {
    keysAddress,
    authorizationAddress: addressIn(document['authorization_endpoint'], issuer),
    tokenAddress: addressIn(document['token_endpoint'], issuer),
    takesSecretInForm:
      Array.isArray(methods) &&
      !methods.includes('client_secret_basic') &&
      methods.includes('client_secret_post'),
  };
}

/** Null where there is none. @throws Error for one without https, where the provider itself has it */
function addressIn(value: unknown, issuer: string): URL | null {
  if (typeof value !== 'string' || !URL.canParse(value)) return null;
  const url = new URL(value);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && issuer.startsWith('http:'))) return url;
  throw new Error('The identity provider has a door without https.');
}

export function providerAway(cause: unknown): DomainError {
  return serviceUnavailable.saying('The identity provider cannot be reached.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });
}
