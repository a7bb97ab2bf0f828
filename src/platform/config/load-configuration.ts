import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { parseDurationMs } from '../../kernel/duration.js';
import { hostUrls } from './host-urls.js';
import { isTimeZone } from '../../kernel/time-zone.js';
import {
  Configuration,
  type Environment,
  FAULT_POINTS,
  type FaultPoint,
  LOG_LEVELS,
  type LogLevel,
  type OidcSettings,
  type RateLimit,
} from './configuration.js';
import { makeFolder } from './make-folder.js';

/** Thrown with one line for every variable that is wrong, so that a user mends them all in one go. */
export class ConfigurationError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigurationError';
  }
}

const DEFAULT_RETRY_SCHEDULE = '5s,30s,2m,5m,15m,30m,1h,2h,4h,8h,12h,12h,24h';
const ENCRYPTION_KEY_BYTES = 32;
const MIN_JWT_SECRET_CHARACTERS = 32;
const MAX_RETRY_STEPS = 50;
const MIN_RETENTION_MS = 3_600_000;
const MAX_OLD_KEYS = 20;

/**
 * Reads and checks the environment (contract 8.10). Outside production the two service secrets are generated once and
 * kept under `DATA_DIR` with mode 0600; that happens only when everything else is right.
 *
 * @throws ConfigurationError naming every wrong variable
 */
export function loadConfiguration(environment: Environment): Configuration {
  const read = new EnvironmentReader(environment);
  const production =
    read.choice('NODE_ENV', ['production', 'development', 'test'], 'development') === 'production';
  const port = read.integer('PORT', 3000, 0, 65_535);
  const databaseUrl = read.databaseUrl('DATABASE_URL');
  const settings = {
    production,
    host: read.text('HOST', '127.0.0.1'),
    port,
    trustProxy: read.networks('TRUST_PROXY'),
    maxConnections: read.integer('MAX_CONNECTIONS', 10_000, 1, 1_000_000),
    shutdownDelayMs: read.durationMs('SHUTDOWN_DELAY', '0s', 0),
    metricsAllow: read.networks('METRICS_ALLOW'),
    metricsToken: read.token('METRICS_TOKEN'),
    publicUrl: read.httpUrl('PUBLIC_URL', `http://localhost:${port}`),
    databaseUrl,
    databaseDirectUrl: read.databaseUrl('DATABASE_DIRECT_URL') ?? databaseUrl,
    databasePrepared: read.choice('DATABASE_PREPARED', ['on', 'off'], 'on') === 'on',
    fastPaths: read.choice('FAST_PATHS', ['on', 'off'], 'on') === 'on',
    databaseReplicaUrl: read.databaseUrl('DATABASE_REPLICA_URL'),
    databaseReplicaMaxLagMs: read.durationMs('DATABASE_REPLICA_MAX_LAG', '5s', 1),
    databasePoolSize: read.integer('DATABASE_POOL_SIZE', 20, 2, 500),
    dataDir: read.text('DATA_DIR', '.joma'),
    adminEmail: read.email('ADMIN_EMAIL', 'admin@joma.local'),
    adminPassword: read.password('ADMIN_PASSWORD'),
    adminSecondFactorRequired:
      read.choice('ADMIN_SECOND_FACTOR', ['optional', 'required'], 'optional') === 'required',
    storesPerMerchant: read.integer('STORES_PER_MERCHANT', 100, 1, 1_000_000),
    serviceName: read.serviceName('SERVICE_NAME', 'joma'),
    paymentTtlMs: read.durationMs('PAYMENT_TTL', '60m', 1),
    submissionGraceMs: read.durationMs('SUBMISSION_GRACE', '24h', 1),
    qrWindowMs: read.durationMs('QR_WINDOW', '3m', 1),
    webhookTimeoutMs: read.durationMs('WEBHOOK_TIMEOUT', '8s', 10),
    webhookRetryScheduleMs: read.schedule('WEBHOOK_RETRY_SCHEDULE', DEFAULT_RETRY_SCHEDULE),
    webhookAllowPrivate: read.boolean('WEBHOOK_ALLOW_PRIVATE', !production),
    retentionAttemptsMs: read.retentionMs('RETENTION_ATTEMPTS', '30d'),
    retentionBodiesMs: read.retentionMs('RETENTION_BODIES', '90d'),
    retentionPersonalMs: read.retentionMs('RETENTION_PERSONAL', 'off', 1),
    faultPoint: read.faultPoint('FAULT_POINT', production),
    rateLimitPublic: read.rateLimit('RATE_LIMIT_PUBLIC', '60/1m'),
    rateLimitLogin: read.rateLimit('RATE_LIMIT_LOGIN', '10/1m'),
    guessLimit: read.rateLimit('GUESS_LIMIT', '10/1h'),
    phoneSilentAfterMs: read.durationMs('PHONE_SILENT_AFTER', '15m', 1_000),
    storeTimeZone: read.timeZone('STORE_TIME_ZONE', 'Asia/Dhaka'),
    checkoutBrand: Object.freeze({
      name: read.shortText('CHECKOUT_BRAND_NAME', 60),
      colour: read.colour('CHECKOUT_BRAND_COLOUR'),
      logoFile: read.text('CHECKOUT_BRAND_LOGO', '') || null,
    }),
    oidc: read.oidc(production),
    oldEncryptionKeys: read.oldEncryptionKeys('ENCRYPTION_KEYS_OLD'),
    extensions: read.names('EXTENSIONS'),
    environment: Object.freeze({ ...environment }),
    logLevel: read.choice('LOG_LEVEL', LOG_LEVELS, 'info') as LogLevel,
  };
  const encryptionKey = read.encryptionKey('ENCRYPTION_KEY', production);
  const jwtSecret = read.jwtSecret('JWT_SECRET', production);
  read.differ('JWT_SECRET', 'ENCRYPTION_KEY', production);
  if (read.problems.length > 0) throw new ConfigurationError(read.problems);
  return Object.freeze({
    ...settings,
    encryptionKey:
      encryptionKey ?? Buffer.from(developmentSecret(settings.dataDir, 'encryption-key'), 'base64'),
    jwtSecret: jwtSecret ?? developmentSecret(settings.dataDir, 'jwt-secret'),
  });
}

/** A secret that outlives restarts of a development machine: created once, readable by its owner alone. */
function developmentSecret(dataDir: string, name: string): string {
  const path = join(dataDir, name);
  try {
    // Others may pass through: where root cannot map users, the embedded server runs as another one. Files are 0600.
    makeFolder(dataDir, 0o711);
    try {
      writeFileSync(path, randomBytes(ENCRYPTION_KEY_BYTES).toString('base64'), { flag: 'wx', mode: 0o600 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    chmodSync(path, 0o600);
    const secret = readFileSync(path, 'utf8').trim();
    if (Buffer.from(secret, 'base64').length !== ENCRYPTION_KEY_BYTES) {
      throw new Error('it does not hold 32 bytes in base64');
    }
    return secret;
  } catch (error) {
    throw new ConfigurationError([
      `DATA_DIR: cannot keep the generated secret in ${path}: ${(error as Error).message}`,
    ]);
  }
}

/** 32 bytes in base64 or base64url, or null. */
function keyOf(text: string): Buffer | null {
  const key = /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null;
  return key?.length === ENCRYPTION_KEY_BYTES ? key : null;
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

class EnvironmentReader {
  readonly problems: string[] = [];

  constructor(private readonly environment: Environment) {}

  /** An empty variable counts as unset: that is what `VAR=` in a compose file means. */
  private value(name: string): string | undefined {
    const value = this.environment[name]?.trim();
    return value === '' ? undefined : value;
  }

  private refuse<T>(name: string, expected: string, fallback: T): T {
    this.problems.push(`${name} must be ${expected}, but is ${JSON.stringify(this.value(name) ?? '')}.`);
    return fallback;
  }

  /** Like `refuse`, for secrets: their value must not reach a terminal or a log. */
  private refuseSecret(name: string, expected: string): null {
    this.problems.push(`${name} must be ${expected}.`);
    return null;
  }

  text(name: string, fallback: string): string {
    return this.value(name) ?? fallback;
  }

  shortText(name: string, maximumCharacters: number): string | null {
    const value = this.value(name) ?? null;
    if (value === null || [...value].length <= maximumCharacters) return value;
    return this.refuse(name, `at most ${maximumCharacters} characters long`, null);
  }

  colour(name: string): string | null {
    const value = this.value(name)?.toLowerCase() ?? null;
    if (value === null || /^#[0-9a-f]{6}$/.test(value)) return value;
    return this.refuse(name, 'a colour such as #0b6b4f', null);
  }

  timeZone(name: string, fallback: string): string {
    const value = this.value(name) ?? fallback;
    return isTimeZone(value)
      ? value
      : this.refuse(name, 'a time zone of the IANA database, such as Asia/Dhaka', fallback);
  }

  choice(name: string, choices: readonly string[], fallback: string): string {
    const value = this.value(name) ?? fallback;
    return choices.includes(value) ? value : this.refuse(name, `one of ${choices.join(', ')}`, fallback);
  }

  integer(name: string, fallback: number, minimum: number, maximum: number): number {
    const value = this.value(name);
    if (value === undefined) return fallback;
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= minimum && number <= maximum) return number;
    return this.refuse(name, `a whole number from ${minimum} to ${maximum}`, fallback);
  }

  boolean(name: string, fallback: boolean): boolean {
    const value = this.value(name)?.toLowerCase();
    if (value === undefined) return fallback;
    if (value === 'true' || value === 'false') return value === 'true';
    return this.refuse(name, 'true or false', fallback);
  }

  durationMs(name: string, fallback: string, minimumMs: number): number {
    const durationMs = parseDurationMs(this.value(name) ?? fallback);
    if (durationMs !== null && durationMs >= minimumMs) return durationMs;
    return this.refuse(name, `a duration of at least ${minimumMs} ms, such as 250ms, 8s, 3m or 24h`, 0);
  }

  schedule(name: string, fallback: string): readonly number[] {
    const steps = (this.value(name) ?? fallback).split(',').map((step) => parseDurationMs(step));
    if (steps.length <= MAX_RETRY_STEPS && steps.every((step) => step !== null)) return Object.freeze(steps);
    return this.refuse(
      name,
      `at most ${MAX_RETRY_STEPS} durations with commas between, such as 5s,30s,2m`,
      [],
    );
  }

  retentionMs(name: string, fallback: string, minimumMs = MIN_RETENTION_MS): number | null {
    const value = this.value(name) ?? fallback;
    if (value === 'off') return null;
    const durationMs = parseDurationMs(value);
    if (durationMs !== null && durationMs >= minimumMs) return durationMs;
    const kind = minimumMs === MIN_RETENTION_MS ? 'a duration of at least 1h' : 'a duration';
    return this.refuse(name, `${kind}, such as 30d, or off`, null);
  }

  faultPoint(name: string, production: boolean): FaultPoint | null {
    const value = this.value(name);
    if (value === undefined) return null;
    if (production) return this.refuse(name, 'unset in production, where it would end the process', null);
    return (
      FAULT_POINTS.find((point) => point === value) ??
      this.refuse(name, `one of ${FAULT_POINTS.join(', ')}`, null)
    );
  }

  rateLimit(name: string, fallback: string): RateLimit | null {
    const value = this.value(name) ?? fallback;
    if (value === 'off') return null;
    const [count, window, ...rest] = value.split('/');
    const windowMs = parseDurationMs(window ?? '');
    if (rest.length === 0 && /^[1-9]\d{0,6}$/.test(count ?? '') && windowMs !== null && windowMs >= 1_000) {
      return Object.freeze({ count: Number(count), windowMs });
    }
    return this.refuse(name, 'a count and a duration of at least 1s, such as 60/1m, or off', null);
  }

  httpUrl(name: string, fallback: string): string {
    const value = this.value(name) ?? fallback;
    const url = URL.canParse(value) ? new URL(value) : null;
    const plain =
      url !== null && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
    if (plain && (url.protocol === 'http:' || url.protocol === 'https:')) return url.href.replace(/\/+$/, '');
    return this.refuse(
      name,
      'an http or https address without query, such as https://pay.example.com',
      fallback,
    );
  }

  oidc(production: boolean): OidcSettings | null {
    const issuer = this.value('OIDC_ISSUER');
    const audience = this.value('OIDC_AUDIENCE');
    const rolesClaim = this.value('OIDC_ROLES_CLAIM') ?? 'roles';
    const requireEmailVerified = this.boolean('OIDC_REQUIRE_EMAIL_VERIFIED', true);
    const clientId = this.value('OIDC_CLIENT_ID') ?? null;
    const clientSecret = this.value('OIDC_CLIENT_SECRET') ?? null;
    if (clientSecret !== null && clientId === null)
      return this.refuse('OIDC_CLIENT_ID', 'set with OIDC_CLIENT_SECRET', null);
    if (issuer === undefined && audience === undefined && clientId === null) return null;
    const url = issuer !== undefined && URL.canParse(issuer) ? new URL(issuer) : null;
    const isRight = url?.protocol === 'https:' || (!production && url?.protocol === 'http:');
    if (issuer === undefined || !isRight || url?.search !== '' || url.hash !== '') {
      return this.refuse('OIDC_ISSUER', 'the https address that the provider writes into "iss"', null);
    }
    if (audience === undefined) {
      return this.refuse('OIDC_AUDIENCE', 'set with OIDC_ISSUER: what the provider writes into "aud"', null);
    }
    return Object.freeze({ issuer, audience, rolesClaim, requireEmailVerified, clientId, clientSecret });
  }

  /** Long enough not to be guessed; what a header can carry. */
  token(name: string): string | null {
    const value = this.value(name);
    if (value === undefined) return null;
    return /^[\x21-\x7e]{8,256}$/.test(value)
      ? value
      : this.refuseSecret(name, '8 to 256 visible ASCII characters long');
  }

  networks(name: string): readonly string[] {
    const networks = (this.value(name) ?? '')
      .split(',')
      .map((network) => network.trim())
      .filter((network) => network !== '');
    if (networks.every(isNetwork)) return Object.freeze(networks);
    return this.refuse(name, 'addresses or networks with commas between, such as 127.0.0.1,10.0.0.0/8', []);
  }

  names(name: string): readonly string[] {
    const names = (this.value(name) ?? '')
      .split(',')
      .map((text) => text.trim())
      .filter((text) => text !== '');
    if (names.every((text) => /^[a-z0-9-]{1,40}$/.test(text))) return Object.freeze([...new Set(names)]);
    return this.refuse(name, 'names of lower-case letters, digits and hyphens with commas between', []);
  }

  databaseUrl(name: string): string | null {
    const value = this.value(name);
    if (value === undefined) return null;
    if (hostUrls(value) !== null) return value;
    return this.refuseSecret(
      name,
      'a PostgreSQL address such as postgres://user:password@host:5432/joma, with one host or several with commas between',
    );
  }

  email(name: string, fallback: string): string {
    const value = (this.value(name) ?? fallback).toLowerCase();
    return /^[^\s@]{1,64}@[^\s@]{1,189}$/.test(value)
      ? value
      : this.refuse(name, 'an e-mail address', fallback);
  }

  /** One secret for two purposes is lost twice. Only production insists. */
  differ(name: string, other: string, production: boolean): void {
    const value = this.value(name);
    if (production && value !== undefined && value === this.value(other)) {
      this.refuseSecret(name, `another secret than ${other}`);
    }
  }

  password(name: string): string | null {
    const value = this.environment[name];
    if (value === undefined || value === '') return null;
    const length = [...value].length;
    if (length < 10 || length > 128) return this.refuseSecret(name, '10 to 128 characters long');
    return value;
  }

  serviceName(name: string, fallback: string): string {
    const value = this.value(name) ?? fallback;
    if (/^[a-z0-9-]+$/.test(value) && value.length <= 64 && value !== 'simulate') return value;
    return this.refuse(name, 'of lower-case letters, digits and hyphens, and not "simulate"', fallback);
  }

  encryptionKey(name: string, production: boolean): Buffer | null {
    const value = this.value(name);
    if (value === undefined) {
      return production
        ? this.refuseSecret(name, 'set in production: 32 bytes in base64 (openssl rand -base64 32)')
        : null;
    }
    const key = keyOf(value);
    if (key === null) return this.refuseSecret(name, 'exactly 32 bytes in base64');
    return key;
  }

  /** Keys that are only opened with: what was sealed once must stay readable. */
  oldEncryptionKeys(name: string): readonly Buffer[] {
    const keys = (this.value(name) ?? '')
      .split(',')
      .filter((text) => text.trim() !== '')
      .map((text) => keyOf(text.trim()));
    if (keys.length <= MAX_OLD_KEYS && keys.every((key) => key !== null)) return Object.freeze(keys);
    this.refuseSecret(name, `at most ${MAX_OLD_KEYS} keys of 32 bytes in base64 with commas between`);
    return [];
  }

  jwtSecret(name: string, production: boolean): string | null {
    const value = this.value(name);
    if (value === undefined) {
      return production ? this.refuseSecret(name, 'set in production: at least 32 characters') : null;
    }
    if (value.length < MIN_JWT_SECRET_CHARACTERS) {
      return this.refuseSecret(name, 'at least 32 characters long');
    }
    return value;
  }
}
