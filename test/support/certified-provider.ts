import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { Provider } from 'oidc-provider';

/** What the company's directory knows about somebody; stands in their tokens. */
export interface Employee {
  readonly email: string;
  readonly name?: string;
  readonly roles?: readonly string[];
  readonly emailVerified?: boolean;
}

export interface CompanyTokenSet {
  /** A JWT (RFC 9068), for the API that was asked for. */
  readonly access_token: string;
  /** For the application that signs people in, not for an API. */
  readonly id_token: string;
}

/** A certified OpenID Connect provider, the package `oidc-provider`, on loopback. */
export interface CertifiedProvider {
  readonly issuer: string;
  /** Puts somebody into the directory, or changes them; tokens say so from the next one on. */
  employ(login: string, employee: Employee): void;
  /** Signs somebody in as a browser does: authorization code with PKCE, sign-in form, consent, token request. */
  signIn(login: string, resource?: string): Promise<CompanyTokenSet>;
  /** Goes from where an application sends the browser to where the provider sends it back, signing in on the way. */
  visit(login: string, address: string): Promise<URL>;
  /** Stops it, and starts it anew at the same address with another key; the old one is published no more. */
  restartWithNewKeys(): Promise<void>;
  /** Hangs up on everybody, or works again. */
  setAway(away: boolean): void;
  close(): Promise<void>;
}

/** The API's name at the provider, and another API of the same company. */
export const JOMA_RESOURCE = 'https://joma.company.example';
export const OTHER_RESOURCE = 'https://payroll.company.example';
/** The application that people sign in with. */
export const CLIENT_ID = 'company-portal';
/** Lifetime of access tokens. */
export const COMPANY_TOKEN_SECONDS = 300;

const REDIRECT_URI = 'http://127.0.0.1/signed-in';
/** Where the dashboard is, as far as browsers and the provider know. */
export const DASHBOARD_URL = 'http://127.0.0.1:9';
const DASHBOARD_CALLBACK = `${DASHBOARD_URL}/dashboard/sign-in/callback`;
/** A sign-in takes eight of them. */
const MAX_REDIRECTS = 20;

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export async function startCertifiedProvider(): Promise<CertifiedProvider> {
  const directory = new Map<string, Employee>();
  let handler: Handler | null = null;
  const server: Server = createServer((request, response) => {
    if (handler === null) request.socket.destroy();
    else void handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const start = async (): Promise<Handler> =>
    new Provider(issuer, providerConfiguration(await newSigningKey(), directory)).callback();
  let running: Handler = await start();
  handler = running;

  return {
    issuer,
    employ: (login, employee) => void directory.set(login, employee),
    signIn: (login, resource = JOMA_RESOURCE) => signIn(issuer, login, resource),
    visit: (login, address) => new Browser(issuer).signIn(login, address),
    restartWithNewKeys: async () => {
      handler = null;
      server.closeAllConnections();
      handler = running = await start();
    },
    setAway: (away) => {
      handler = away ? null : running;
      if (away) server.closeAllConnections();
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function newSigningKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return {
    ...(await exportJWK(privateKey)),
    kid: randomBytes(8).toString('hex'),
    alg: 'ES256',
    use: 'sig',
  };
}

function providerConfiguration(key: JWK, directory: ReadonlyMap<string, Employee>): Record<string, unknown> {
  const claimsOf = ({ email, name, roles, emailVerified = true }: Employee) => ({
    email,
    email_verified: emailVerified,
    ...(name === undefined ? {} : { name }),
    ...(roles === undefined ? {} : { roles }),
  });
  return {
    jwks: { keys: [key] },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    scopes: ['openid', 'email', 'joma'],
    claims: { openid: ['sub'], email: ['email', 'email_verified', 'name', 'roles'] },
    // Puts the person's claims into the ID token, as the big providers do.
    conformIdTokenClaims: false,
    clients: [
      {
        client_id: CLIENT_ID,
        token_endpoint_auth_method: 'none',
        redirect_uris: [REDIRECT_URI, DASHBOARD_CALLBACK],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    features: {
      // Its own pages for signing in and consenting: any password does.
      devInteractions: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context: unknown, resource: string) => ({
          scope: 'joma',
          audience: resource,
          accessTokenFormat: 'jwt',
          accessTokenTTL: COMPANY_TOKEN_SECONDS,
          jwt: { sign: { alg: 'ES256' } },
        }),
        useGrantedResource: () => true,
      },
    },
    findAccount: (_context: unknown, sub: string) => {
      const employee = directory.get(sub);
      return employee && { accountId: sub, claims: () => ({ sub, ...claimsOf(employee) }) };
    },
    extraTokenClaims: (_context: unknown, { accountId }: { accountId?: string }) => {
      const employee = directory.get(accountId ?? '');
      return employee && claimsOf(employee);
    },
  };
}

async function signIn(issuer: string, login: string, resource: string): Promise<CompanyTokenSet> {
  const browser = new Browser(issuer);
  const verifier = randomBytes(32).toString('base64url');
  const state = randomBytes(8).toString('hex');
  const asked = new URLSearchParams({
    client_id: CLIENT_ID,
    response_type: 'code',
    redirect_uri: REDIRECT_URI,
    scope: 'openid email joma',
    resource,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const answered = await browser.signIn(login, `${issuer}/auth?${asked.toString()}`);
  const code = answered.searchParams.get('code');
  if (code === null || answered.searchParams.get('state') !== state)
    throw new Error(`The provider did not sign ${login} in: ${answered.href}`);
  const exchange = { grant_type: 'authorization_code', client_id: CLIENT_ID, redirect_uri: REDIRECT_URI };
  const answer = await fetch(`${issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams({ ...exchange, code, code_verifier: verifier, resource }),
  });
  if (!answer.ok) throw new Error(`The provider gave no token: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as CompanyTokenSet;
}

/** Follows redirects with cookies, up to the application that is signed in to. */
class Browser {
  private readonly cookies = new Map<string, string>();

  constructor(private readonly issuer: string) {}

  async signIn(login: string, address: string): Promise<URL> {
    let page = await this.open(address);
    const forms: Record<string, string>[] = [
      { prompt: 'login', login, password: 'any' },
      { prompt: 'consent' },
    ];
    for (const form of forms) {
      if (isBack(page.url)) break;
      page = await this.open(page.url, form);
    }
    if (!isBack(page.url)) throw new Error(`The provider did not sign ${login} in: ${page.url} ${page.text}`);
    return new URL(page.url);
  }

  async open(url: string, form?: Readonly<Record<string, string>>): Promise<{ url: string; text: string }> {
    let body = form === undefined ? undefined : new URLSearchParams(form);
    for (let count = 0; count < MAX_REDIRECTS; count += 1) {
      if (isBack(url)) return { url, text: '' };
      const answer = await fetch(url, {
        method: body === undefined ? 'GET' : 'POST',
        redirect: 'manual',
        headers: {
          Cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
          // Tests stop and start the provider between requests, which resets kept connections.
          Connection: 'close',
        },
        body,
      });
      for (const cookie of answer.headers.getSetCookie()) this.keep(cookie);
      const text = await answer.text();
      const location = answer.headers.get('location');
      if (location === null) return { url, text };
      url = new URL(location, this.issuer).href;
      body = undefined;
    }
    throw new Error(`The provider redirects without end, last to ${url}.`);
  }

  private keep(cookie: string): void {
    const [pair = ''] = cookie.split(';', 1);
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    if (value === '') this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

function isBack(url: string): boolean {
  return url.startsWith(REDIRECT_URI) || url.startsWith(DASHBOARD_CALLBACK);
}
