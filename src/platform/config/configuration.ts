/** The variables of a process, or what a test gives in their place. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Everything that can be set from outside, checked once at start and frozen (contract 8.13). Times are milliseconds.
 */
export abstract class Configuration {
  /** `NODE_ENV=production`: nothing is generated, nothing secret is printed, private webhook addresses are refused. */
  abstract readonly production: boolean;
  /** `HOST`, default `127.0.0.1`: the address to listen on. */
  abstract readonly host: string;
  /** `PORT`, default 3000; 0 lets the system choose one. */
  abstract readonly port: number;
  /**
   * `TRUST_PROXY`: addresses or networks of the proxies in front, whose `X-Forwarded-For` is believed; empty believes
   * none.
   */
  abstract readonly trustProxy: readonly string[];
  /** `MAX_CONNECTIONS`, default 10,000: connections that may be open at once; more are not accepted. */
  abstract readonly maxConnections: number;
  /** `SHUTDOWN_DELAY`, default 0: how long requests are still accepted once a stop has begun. */
  abstract readonly shutdownDelayMs: number;
  /** `METRICS_ALLOW`: addresses or networks that may read `/metrics` in production, beside loopback. */
  abstract readonly metricsAllow: readonly string[];
  /** `METRICS_TOKEN`: the bearer token that opens `/metrics` in production from anywhere; null for none. */
  abstract readonly metricsToken: string | null;
  /** `PUBLIC_URL`, default `http://localhost:$PORT`, without a slash at the end: the base of `checkoutUrl`. */
  abstract readonly publicUrl: string;
  /**
   * `DATABASE_URL`: the PostgreSQL server to use; null starts the embedded one under `DATA_DIR`. With several hosts
   * (`postgres://u:p@a:5432,b:5432/joma`) the one that accepts writes.
   */
  abstract readonly databaseUrl: string | null;
  /**
   * `DATABASE_DIRECT_URL`, default `DATABASE_URL`: for what needs a session of its own, past a pooler; null without
   * either.
   */
  abstract readonly databaseDirectUrl: string | null;
  /**
   * `DATABASE_PREPARED`, default true: false sends no named statement, and no start-up parameter that PgBouncer
   * refuses.
   */
  abstract readonly databasePrepared: boolean;
  /**
   * `FAST_PATHS`, default true: receipts, payments and reads of one moment share a statement; false: each goes by
   * itself, through the plain classes. The results are the same.
   */
  abstract readonly fastPaths: boolean;
  /** `DATABASE_REPLICA_URL`: a copy that may be read for exports and totals; null without one. */
  abstract readonly databaseReplicaUrl: string | null;
  /** `DATABASE_REPLICA_MAX_LAG`, default 5 s: how far it may be behind; beyond that the primary is read. */
  abstract readonly databaseReplicaMaxLagMs: number;
  /** `DATABASE_POOL_SIZE`, default 20: connections of this replica. */
  abstract readonly databasePoolSize: number;
  /** `DATA_DIR`, default `.joma`: the embedded database and the secrets that development generates. */
  abstract readonly dataDir: string;
  /** `ENCRYPTION_KEY`: 32 bytes in base64; the key of everything that is kept recoverable. */
  abstract readonly encryptionKey: Buffer;
  /**
   * `ENCRYPTION_KEYS_OLD`: keys that were `ENCRYPTION_KEY` before, with commas between; only for opening what they
   * sealed.
   */
  abstract readonly oldEncryptionKeys: readonly Buffer[];
  /** `JWT_SECRET`: at least 32 characters; signs access tokens with HS256. */
  abstract readonly jwtSecret: string;
  /** `OIDC_ISSUER`, `OIDC_AUDIENCE`, `OIDC_ROLES_CLAIM`: the identity provider; null without one. */
  abstract readonly oidc: OidcSettings | null;
  /** `ADMIN_EMAIL`, default `admin@joma.local`: the first user, created when there is none. */
  abstract readonly adminEmail: string;
  /** `ADMIN_PASSWORD`: their password; null lets development generate one, and print it once. */
  abstract readonly adminPassword: string | null;
  /** `ADMIN_SECOND_FACTOR=required`: an admin sets up a second factor before anything else; default `optional`. */
  abstract readonly adminSecondFactorRequired: boolean;
  /** `STORES_PER_MERCHANT`, default 100: live stores that one merchant may own. */
  abstract readonly storesPerMerchant: number;
  /** `SERVICE_NAME`, default `joma`: names the inbound path `/api/webhooks/<name>`. */
  abstract readonly serviceName: string;
  /** `PAYMENT_TTL`, default 60 min: how long a payment waits for its payer. */
  abstract readonly paymentTtlMs: number;
  /** `SUBMISSION_GRACE`, default 24 h: how long a submission waits for its receipt. */
  abstract readonly submissionGraceMs: number;
  /** `QR_WINDOW`, default 3 min: how far submission and receipt of a Bangla QR payment may lie apart. */
  abstract readonly qrWindowMs: number;
  /** `WEBHOOK_TIMEOUT`, default 8 s: the whole exchange with a merchant, from before the name look-up. */
  abstract readonly webhookTimeoutMs: number;
  /** `WEBHOOK_RETRY_SCHEDULE`: the waits between attempts, n steps for n + 1 attempts. */
  abstract readonly webhookRetryScheduleMs: readonly number[];
  /** `WEBHOOK_ALLOW_PRIVATE`, default true outside production: lets webhooks go to private addresses. */
  abstract readonly webhookAllowPrivate: boolean;
  /** `RETENTION_ATTEMPTS`, default 30 days: how long attempts to deliver are kept; null keeps them. */
  abstract readonly retentionAttemptsMs: number | null;
  /** `RETENTION_BODIES`, default 90 days: how long bodies of delivered events are kept; null keeps them. */
  abstract readonly retentionBodiesMs: number | null;
  /** `RETENTION_PERSONAL`, default off (null): how long after it was settled a payment keeps what names users. */
  abstract readonly retentionPersonalMs: number | null;
  /**
   * `FAULT_POINT`, default null: where this process kills itself while delivering, so that a test can see what a
   * crash there leaves behind. Refused in production.
   */
  abstract readonly faultPoint: FaultPoint | null;
  /**
   * `RATE_LIMIT_PUBLIC`, default `60/1m` per address and payment, ten times that per address, on each replica, for
   * requests without a credential; null is off.
   */
  abstract readonly rateLimitPublic: RateLimit | null;
  /** `RATE_LIMIT_LOGIN`, default `10/1m` per address and per account, over all replicas; null is off. */
  abstract readonly rateLimitLogin: RateLimit | null;
  /**
   * `GUESS_LIMIT`, default `10/1h`: wrong entries for one amount of a store before digits alone verify nothing; null
   * is off.
   */
  abstract readonly guessLimit: RateLimit | null;
  /**
   * `PHONE_SILENT_AFTER`, default 15 min: a phone that is not heard for so long while payments wait is said to be
   * silent.
   */
  abstract readonly phoneSilentAfterMs: number;
  /** `STORE_TIME_ZONE`, default `Asia/Dhaka`: whose calendar and clock the pages and the day totals go by. */
  abstract readonly storeTimeZone: string;
  /** `CHECKOUT_BRAND_NAME`, `_COLOUR` and `_LOGO`: how an operator makes the checkout page its own. */
  abstract readonly checkoutBrand: CheckoutBrandSettings;
  /** `EXTENSIONS`, default none: names of the extensions that are switched on. */
  abstract readonly extensions: readonly string[];
  /** All variables as they are, for the settings of extensions, which only they know. */
  abstract readonly environment: Environment;
  /** `LOG_LEVEL`, default `info`. */
  abstract readonly logLevel: LogLevel;
}

/** Settings of the identity provider whose tokens are accepted beside the service's own. */
export interface OidcSettings {
  /**
   * `OIDC_ISSUER`: exactly as it stands in `iss`; https in production. Its keys are found by OpenID Connect
   * Discovery.
   */
  readonly issuer: string;
  /** `OIDC_AUDIENCE`: what must stand in `aud`. */
  readonly audience: string;
  /**
   * `OIDC_ROLES_CLAIM`, default `roles`: where `admin` or `merchant` stands; dots lead into objects
   * (`realm_access.roles`).
   */
  readonly rolesClaim: string;
  /**
   * `OIDC_REQUIRE_EMAIL_VERIFIED`, default true: `email_verified` must be true; else it may be left out, but never
   * false.
   */
  readonly requireEmailVerified: boolean;
  /** `OIDC_CLIENT_ID`: what the provider calls the dashboard; null does not offer to sign in there by the company. */
  readonly clientId: string | null;
  /** `OIDC_CLIENT_SECRET`: where the provider asks for one beside PKCE. */
  readonly clientSecret: string | null;
}

export interface CheckoutBrandSettings {
  /** `CHECKOUT_BRAND_NAME`, at most 60 characters: stands in the footer instead of the product's name. */
  readonly name: string | null;
  /** `CHECKOUT_BRAND_COLOUR`, `#rrggbb`: the accent colour, made darker or lighter where it could not be read. */
  readonly colour: string | null;
  /** `CHECKOUT_BRAND_LOGO`: a picture of at most 20 KiB, shown at 40 pixels square beside the shop's name. */
  readonly logoFile: string | null;
}

export interface RateLimit {
  readonly count: number;
  readonly windowMs: number;
}

/** Between the commit and the POST, or between the POST's answer and writing it down. */
export const FAULT_POINTS = ['after-commit', 'after-post'] as const;
export type FaultPoint = (typeof FAULT_POINTS)[number];

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
