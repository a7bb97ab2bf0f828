import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { extensionsOf, loadConfiguration, SETTINGS } from '../../src/app.module.js';
import { SsoSettings } from '../../src/accounts/index.js';
import { identityProviderOf } from '../../src/accounts/sso/sso.settings.js';
import { settingsPage } from '../../src/tools/settings.js';
import { ConfigurationError } from '../../src/platform/config/index.js';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'joma-configuration-'));
});
afterEach(() => {
  rmSync(dataDir, { recursive: true, force: true });
});

/** All values, as a module of somebody else finds them under `joma`. */
function valuesOf(environment: Record<string, string>): Record<string, unknown> {
  const read = loadConfiguration({ DATA_DIR: dataDir, ...environment });
  return Object.assign({}, ...SETTINGS.map((one) => read.of(one))) as Record<string, unknown>;
}

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    loadConfiguration({ DATA_DIR: dataDir, ...environment });
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
}

/*
 * Rules: contract 1.4, 8.10 to 8.13, 8.18, 8.19, 8.22, 9.21, 13.32.
 *
 * Goal: every setting is checked, has its published default, and says in one line what is wrong (contract 8.10).
 * Method: all that is declared, read from environments that are empty, right and wrong.
 */

describe('the settings', () => {
  it('has the published defaults when nothing is set', () => {
    const values = valuesOf({});
    expect(values).toMatchObject({
      production: false,
      host: '127.0.0.1',
      port: 3000,
      publicUrl: 'http://localhost:3000',
      databaseUrl: null,
      fastPaths: true,
      serviceName: 'joma',
      paymentTtlMs: 3_600_000,
      submissionGraceMs: 86_400_000,
      qrWindowMs: 180_000,
      webhookTimeoutMs: 8_000,
      webhookAllowPrivate: true,
      retentionAttemptsMs: 30 * 86_400_000,
      retentionBodiesMs: 90 * 86_400_000,
      faultPoint: null,
      rateLimitPublic: { count: 60, windowMs: 60_000 },
      retentionPersonalMs: null,
      maxConnections: 10_000,
      metricsAllow: [],
      metricsToken: null,
      storesPerMerchant: 100,
      adminSecondFactorRequired: false,
      rateLimitLogin: { count: 10, windowMs: 60_000 },
      guessLimit: { count: 10, windowMs: 3_600_000 },
      phoneSilentAfterMs: 900_000,
      storeTimeZone: 'Asia/Dhaka',
      logLevel: 'info',
    });
    expect(values['webhookRetryScheduleMs']).toHaveLength(13);
    const configuration = loadConfiguration({ DATA_DIR: dataDir });
    for (const one of SETTINGS) expect(Object.isFrozen(configuration.of(one))).toBe(true);
  });

  it('generates development secrets once, readable by their owner alone', () => {
    const [first, second] = [valuesOf({}), valuesOf({})];
    expect(second['jwtSecret']).toBe(first['jwtSecret']);
    expect(first['jwtSecret']).toMatch(/^[A-Za-z0-9+/]{43}=$/);
    expect(second['encryptionKey']).toEqual(first['encryptionKey']);
    expect(first['encryptionKey']).toHaveLength(32);
    expect(statSync(join(dataDir, 'jwt-secret')).mode & 0o777).toBe(0o600);
    expect(statSync(join(dataDir, 'encryption-key')).mode & 0o777).toBe(0o600);
  });

  it('follows the port in the default public address', () => {
    expect(valuesOf({ PORT: '8080' })['publicUrl']).toBe('http://localhost:8080');
  });

  it('refuses to start in production without its secrets, and names both', () => {
    const problems = problemsOf({ NODE_ENV: 'production' });
    expect(problems).toHaveLength(2);
    expect(problems.join('\n')).toMatch(/ENCRYPTION_KEY[^]*JWT_SECRET/);
  });

  it('refuses private webhook addresses by default in production', () => {
    const values = valuesOf({
      NODE_ENV: 'production',
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      JWT_SECRET: randomBytes(32).toString('base64'),
    });
    expect(values['webhookAllowPrivate']).toBe(false);
  });

  it.each([
    ['PORT', '70000'],
    ['PORT', '3e3'],
    ['NODE_ENV', 'prod'],
    ['PUBLIC_URL', 'pay.example.com'],
    ['PUBLIC_URL', 'ftp://pay.example.com'],
    ['DATABASE_URL', 'mysql://localhost/joma'],
    ['DATABASE_URL', 'postgres://a:5432,/joma'],
    ['DATABASE_DIRECT_URL', 'localhost:5432'],
    ['DATABASE_PREPARED', 'false'],
    ['FAST_PATHS', 'maybe'],
    ['DATABASE_REPLICA_URL', 'http://localhost/joma'],
    ['DATABASE_REPLICA_MAX_LAG', '5'],
    ['EXTENSIONS', 'day-close,E Mail'],
    ['SERVICE_NAME', 'simulate'],
    ['SERVICE_NAME', 'Joma Pay'],
    ['PAYMENT_TTL', '60'],
    ['QR_WINDOW', '0s'],
    ['WEBHOOK_RETRY_SCHEDULE', '5s,,2m'],
    ['WEBHOOK_ALLOW_PRIVATE', 'yes'],
    ['RATE_LIMIT_PUBLIC', '60'],
    ['RATE_LIMIT_LOGIN', '0/1m'],
    ['MAX_CONNECTIONS', '0'],
    ['METRICS_ALLOW', 'everybody'],
    ['METRICS_TOKEN', 'short'],
    ['STORES_PER_MERCHANT', '0'],
    ['RETENTION_PERSONAL', '0s'],
    ['RETENTION_PERSONAL', '30'],
    ['ADMIN_SECOND_FACTOR', 'yes'],
    ['OIDC_REQUIRE_EMAIL_VERIFIED', 'no'],
    ['FAULT_POINT', 'sometimes'],
    ['RETENTION_ATTEMPTS', '30'],
    ['RETENTION_BODIES', '5m'],
    ['LOG_LEVEL', 'verbose'],
    ['STORE_TIME_ZONE', 'Dhaka'],
    ['STORE_TIME_ZONE', '+06:00'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', 'all'],
    ['CHECKOUT_BRAND_COLOUR', 'green'],
    ['CHECKOUT_BRAND_NAME', 'x'.repeat(61)],
    ['ENCRYPTION_KEY', 'c2hvcnQ='],
    ['ENCRYPTION_KEYS_OLD', 'c2hvcnQ='],
    ['ENCRYPTION_KEYS_OLD', `${Buffer.alloc(32).toString('base64')},x`],
    ['OIDC_ISSUER', 'idp.example.com'],
    ['OIDC_ISSUER', 'https://idp.example.com/?tenant=1'],
    ['JWT_SECRET', 'short'],
    ['ADMIN_EMAIL', 'nobody'],
    ['ADMIN_PASSWORD', 'short'],
  ])('refuses %s=%s in one line that names it', (name, value) => {
    const problems = problemsOf({ [name]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${name} must be `));
    expect(problems[0]).not.toContain('\n');
  });

  it('takes an empty variable for none', () => {
    expect(valuesOf({ PORT: '', PAYMENT_TTL: ' ', EXTENSIONS: '' })).toMatchObject({
      ...{ port: 3_000, paymentTtlMs: 3_600_000, extensions: [] },
    });
  });

  it.each([
    [{}, 'SMTP_URL must be set while the extension "email" is switched on'],
    [{ SMTP_URL: 'mail.example.com' }, 'SMTP_URL must be an address'],
    [{ SMTP_URL: 'smtp://mail.example.com', EMAIL_FROM: 'nobody' }, 'EMAIL_FROM must be an e-mail address'],
  ])('of the extension email refuse %o', (given, problem) => {
    const configuration = loadConfiguration({ DATA_DIR: dataDir, EXTENSIONS: 'email', ...given });
    expect(() => extensionsOf(configuration)).toThrow(problem);
  });

  it('takes a fault point anywhere but in production', () => {
    expect(valuesOf({ FAULT_POINT: 'after-post' })['faultPoint']).toBe('after-post');
    const problems = problemsOf({
      NODE_ENV: 'production',
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      JWT_SECRET: randomBytes(32).toString('base64'),
      FAULT_POINT: 'after-post',
    });
    expect(problems).toEqual([expect.stringMatching(/^FAULT_POINT must be unset in production/)]);
  });

  it('takes any secrets of the published form in production', () => {
    const plain = { ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'), JWT_SECRET: 'x'.repeat(32) };
    expect(problemsOf({ NODE_ENV: 'production', ...plain })).toEqual([]);
  });

  it('takes an identity provider only as a whole, and in production only over https', () => {
    const [issuer, audience] = ['https://idp.example.com/tenant', 'joma'];
    const environment = { DATA_DIR: dataDir, OIDC_ISSUER: issuer, OIDC_AUDIENCE: audience };
    expect(identityProviderOf(loadConfiguration(environment).of(SsoSettings))).toEqual({
      issuer,
      audience,
      rolesClaim: 'roles',
      requireEmailVerified: true,
      clientId: null,
      clientSecret: null,
    });
    const client = { OIDC_CLIENT_ID: 'portal', OIDC_CLIENT_SECRET: 'its secret' };
    expect(
      identityProviderOf(loadConfiguration({ ...environment, ...client }).of(SsoSettings)),
    ).toMatchObject({
      clientId: 'portal',
      clientSecret: 'its secret',
    });
    expect(problemsOf({ OIDC_CLIENT_ID: 'portal' })[0]).toMatch(/^OIDC_ISSUER must be/);
    expect(problemsOf({ OIDC_CLIENT_SECRET: 'its secret' })[0]).toMatch(/^OIDC_CLIENT_ID must be set/);
    expect(identityProviderOf(loadConfiguration({ DATA_DIR: dataDir }).of(SsoSettings))).toBeNull();
    expect(problemsOf({ OIDC_ISSUER: issuer })[0]).toMatch(/^OIDC_AUDIENCE must be set/);
    expect(problemsOf({ OIDC_AUDIENCE: audience })[0]).toMatch(/^OIDC_ISSUER must be/);
    const secrets = {
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      JWT_SECRET: randomBytes(32).toString('base64'),
    };
    const plain = { ...environment, ...secrets, OIDC_ISSUER: 'http://idp.example.com' };
    expect(problemsOf({ ...plain, NODE_ENV: 'production' })).toHaveLength(1);
    expect(problemsOf(plain)).toEqual([]);
  });

  it('refuses one secret for two purposes in production', () => {
    const secret = randomBytes(32).toString('base64');
    const problems = problemsOf({ NODE_ENV: 'production', ENCRYPTION_KEY: secret, JWT_SECRET: secret });
    expect(problems).toEqual(['JWT_SECRET must be another secret than ENCRYPTION_KEY.']);
  });

  it('takes old encryption keys in their order, and none when there are none', () => {
    const keys = [1, 2].map((byte) => Buffer.alloc(32, byte));
    const text = keys.map((key) => key.toString('base64')).join(' , ');
    expect(valuesOf({ ENCRYPTION_KEYS_OLD: text })['oldEncryptionKeys']).toEqual(keys);
    expect(valuesOf({})['oldEncryptionKeys']).toEqual([]);
  });

  it('names every wrong variable at once, and never shows a secret', () => {
    const problems = problemsOf({ PORT: 'x', JWT_SECRET: 'hunter2', ADMIN_PASSWORD: 'hunter2' });
    expect(problems).toHaveLength(3);
    expect(problems.join()).not.toContain('hunter2');
  });

  it('takes any duration for personal data, which may go as soon as nobody waits for it', () => {
    const environment = { DATA_DIR: dataDir, RETENTION_PERSONAL: '250ms' };
    expect(valuesOf(environment)['retentionPersonalMs']).toBe(250);
  });

  it('takes off as no limit', () => {
    expect(valuesOf({ RETENTION_BODIES: 'off' })['retentionBodiesMs']).toBeNull();
    expect(valuesOf({ RATE_LIMIT_PUBLIC: 'off' })['rateLimitPublic']).toBeNull();
  });

  it('are declared once each, and stand in docs/settings.md', () => {
    const declared = new Set(SETTINGS.flatMap((one) => Object.values(one.declared)));
    const variables = [...declared].map(({ variable }) => variable);
    expect(variables.filter((name, index) => variables.indexOf(name) !== index)).toEqual([]);
    expect(readFileSync('docs/settings.md', 'utf8')).toBe(settingsPage());
  });

  it('have names of their own, so that `ConfigService` holds each of them', () => {
    const names = SETTINGS.flatMap((one) => Object.keys(one.declared));
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual(['qrWindowMs']);
  });
});
