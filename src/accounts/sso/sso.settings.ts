import {
  ANY_TEXT,
  type Environment,
  isProduction,
  setting,
  settings,
  text,
  TRUE_OR_FALSE,
} from '../../platform/config/index.js';

/** The identity provider whose tokens are accepted beside the service's own. */
export interface IdentityProviderSettings {
  /** Exactly as it stands in `iss`. Its keys are found by OpenID Connect Discovery. */
  readonly issuer: string;
  readonly audience: string;
  /** Dots lead into objects: `realm_access.roles`. */
  readonly rolesClaim: string;
  /** True: `email_verified` must be true; else it may be left out, but never false. */
  readonly requireEmailVerified: boolean;
  /** Null does not offer to sign in at the dashboard by the company. */
  readonly clientId: string | null;
  readonly clientSecret: string | null;
}

export abstract class SsoSettings extends settings(
  {
    oidcIssuer: setting(
      'OIDC_ISSUER',
      null,
      'Accepts access tokens of the company’s own identity provider, too; its keys are found by discovery.',
      ANY_TEXT,
    ),
    oidcAudience: setting(
      'OIDC_AUDIENCE',
      null,
      'What must stand in `aud`; required with `OIDC_ISSUER`.',
      ANY_TEXT,
    ),
    oidcRolesClaim: text(
      'OIDC_ROLES_CLAIM',
      'roles',
      'Where `admin` or `merchant` stands; dots lead into objects.',
    ),
    oidcRequireEmailVerified: setting(
      'OIDC_REQUIRE_EMAIL_VERIFIED',
      'true',
      'Tokens must say that the address is verified; `false` accepts those that say nothing.',
      TRUE_OR_FALSE,
    ),
    oidcClientId: setting(
      'OIDC_CLIENT_ID',
      null,
      'The dashboard at that provider: its sign-in page then offers the company’s, too.',
      ANY_TEXT,
    ),
    oidcClientSecret: setting('OIDC_CLIENT_SECRET', null, 'Where the provider wants one beside PKCE.', {
      ...ANY_TEXT,
      secret: true,
    }),
  },
  ruleOf,
) {}

/** Settings that make sense together alone. */
interface Together {
  readonly oidcIssuer: string | null;
  readonly oidcAudience: string | null;
  readonly oidcClientId: string | null;
  readonly oidcClientSecret: string | null;
}

function ruleOf(
  { oidcIssuer, oidcAudience, oidcClientId, oidcClientSecret }: Together,
  environment: Environment,
): string[] {
  if (oidcClientSecret !== null && oidcClientId === null)
    return ['OIDC_CLIENT_ID must be set with OIDC_CLIENT_SECRET.'];
  if (oidcIssuer === null && oidcAudience === null && oidcClientId === null) return [];
  if (oidcIssuer === null || !isIssuer(oidcIssuer, isProduction(environment)))
    return [
      `OIDC_ISSUER must be the https address that the provider writes into "iss", but is ${JSON.stringify(oidcIssuer ?? '')}.`,
    ];
  return oidcAudience === null
    ? ['OIDC_AUDIENCE must be set with OIDC_ISSUER: what the provider writes into "aud".']
    : [];
}

function isIssuer(issuer: string, production: boolean): boolean {
  if (!URL.canParse(issuer)) return false;
  const { protocol, search, hash } = new URL(issuer);
  return (protocol === 'https:' || (protocol === 'http:' && !production)) && search === '' && hash === '';
}

/** Null where none is set. */
export function identityProviderOf(values: SsoSettings): IdentityProviderSettings | null {
  const { oidcIssuer: issuer, oidcAudience: audience } = values;
  if (issuer === null || audience === null) return null;
  return Object.freeze({
    issuer,
    audience,
    rolesClaim: values.oidcRolesClaim,
    requireEmailVerified: values.oidcRequireEmailVerified,
    clientId: values.oidcClientId,
    clientSecret: values.oidcClientSecret,
  });
}
