import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { randomBytes } from 'node:crypto';
import { AccountsService } from '../../src/accounts/index.js';
import { createJoma, loadConfiguration } from '../../src/app.module.js';
import type { Clock } from '../../src/kernel/clock.js';
import './one-connection.js';
import { HttpClient } from './http-client.js';
import { expectSoundMoneyEverywhere } from './money-invariants.js';
import { createTestDatabase, migrateExtensions, type TestDatabase } from './test-database.js';

export const ADMIN_EMAIL = 'admin@example.com';
export const ADMIN_PASSWORD = 'correct horse battery';

export interface TestAppOptions {
  readonly environment?: Record<string, string>;
  readonly clock?: Clock;
  /** Shares another app's database, as a second replica would; its owner drops it. */
  readonly database?: TestDatabase;
  /** The tests write or delete rows beside the service, so the rules of sound money are not checked at the end. */
  readonly writesPastService?: boolean;
}

/** The real application on a real database, listening on loopback. */
export interface TestApp {
  readonly app: NestFastifyApplication;
  readonly http: HttpClient;
  readonly database: TestDatabase;
  readonly environment: Record<string, string>;
  close(): Promise<void>;
}

/** The secrets of one test run; replicas must share them. */
const SECRETS = {
  ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  JWT_SECRET: randomBytes(32).toString('base64'),
};

export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const database = options.database ?? (await createTestDatabase());
  const environment = {
    ...SECRETS,
    NODE_ENV: 'test',
    PORT: '0',
    ADMIN_EMAIL,
    ADMIN_PASSWORD,
    ...databaseAddresses(database),
    DATABASE_POOL_SIZE: '10',
    RATE_LIMIT_PUBLIC: 'off',
    RATE_LIMIT_LOGIN: 'off',
    LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
    FAST_PATHS: process.env['FAST_PATHS'] ?? 'on',
    ...options.environment,
  };
  const configuration = loadConfiguration(environment);
  await migrateExtensions(configuration, database.url);
  const app = await createJoma({
    configuration,
    databaseUrl: environment.DATABASE_URL,
    clock: options.clock,
  });
  await app.get(AccountsService).ensureFirstAdmin();
  await app.listen(0, '127.0.0.1');
  return {
    app,
    http: new HttpClient(await app.getUrl()),
    database,
    environment,
    close: async () => {
      await app.close();
      if (options.database !== undefined) return;
      if (options.writesPastService !== true) await expectSoundMoneyEverywhere(database);
      await database.drop();
    },
  };
}

let entries = 0;

/**
 * How a service gets to a database: straight, by one entry of a cluster after the other, or through the pooler that
 * `TEST_POOLER` names (`host:port`).
 */
function databaseAddresses({
  url,
  entryUrls = [],
}: TestDatabase): { DATABASE_URL: string } & Record<string, string> {
  const pooler = process.env['TEST_POOLER'];
  if (pooler !== undefined) {
    const pooled = new URL(url);
    pooled.host = pooler;
    return { DATABASE_URL: pooled.href, DATABASE_DIRECT_URL: url, DATABASE_PREPARED: 'off' };
  }
  const entry = entryUrls[entries++ % Math.max(1, entryUrls.length)];
  return { DATABASE_URL: entry ?? url, DATABASE_DIRECT_URL: url };
}

/** Signs the admin in; answers the header that says so. */
export async function signIn(
  http: HttpClient,
  email = ADMIN_EMAIL,
  password = ADMIN_PASSWORD,
): Promise<{ Authorization: string }> {
  const answer = await http.post<{ accessToken: string }>('/api/v1/auth/login', { email, password });
  if (answer.status !== 200) throw new Error(`Signing in was answered ${answer.status}: ${answer.text}`);
  return { Authorization: `Bearer ${answer.body.accessToken}` };
}

export interface TestUser {
  readonly id: string;
  readonly email: string;
  readonly password: string;
}

let users = 0;

/** Creates a user as an admin does: a merchant with an e-mail address of their own. `fields` replace the defaults. */
export async function createUser(
  http: HttpClient,
  admin: Record<string, string>,
  fields: Record<string, unknown> = {},
): Promise<TestUser> {
  const user = { email: `user-${(users += 1)}@example.com`, password: 'seven green boats', ...fields };
  const body = { name: 'Rahima Khatun', role: 'merchant', ...user };
  const answer = await http.post<{ id: string }>('/api/v1/users', body, admin);
  if (answer.status !== 201) throw new Error(`Creating a user was answered ${answer.status}: ${answer.text}`);
  return { id: answer.body.id, ...user };
}

export interface SignedInUser extends TestUser {
  /** The header that authenticates the user. */
  readonly headers: { readonly Authorization: string };
}

/** Creates a user in the same way, and signs them in. */
export async function signedInUser(...of: Parameters<typeof createUser>): Promise<SignedInUser> {
  const user = await createUser(...of);
  return { ...user, headers: await signIn(of[0], user.email, user.password) };
}

export interface TestStore {
  readonly id: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
  readonly signingSecret: string;
  /** Headers of the merchant's backend. */
  readonly key: { 'X-Api-Key': string };
  /** Headers of the store's phone. */
  readonly phone: { 'X-Webhook-Secret': string };
}

export async function createStore(
  http: HttpClient,
  user: Record<string, string>,
  body: Record<string, unknown> = {},
): Promise<TestStore> {
  const answer = await http.post<Omit<TestStore, 'key' | 'phone'>>(
    '/api/v1/stores',
    { name: 'Test store', ...body },
    user,
  );
  if (answer.status !== 201)
    throw new Error(`Creating a store was answered ${answer.status}: ${answer.text}`);
  const { apiKey, webhookSecret } = answer.body;
  return { ...answer.body, key: { 'X-Api-Key': apiKey }, phone: { 'X-Webhook-Secret': webhookSecret } };
}
