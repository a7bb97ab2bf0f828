import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../src/platform/config/index.js';
import { Database } from '../../src/platform/database/index.js';
import { SecretBox } from '../../src/platform/config/index.js';
import {
  reencryptSecrets,
  type ReencryptionProgress,
} from '../../src/stores/credentials/secret-reencryption.js';
import { runCommand } from '../support/command.js';
import { createStore, signIn, startTestApp, type TestApp, type TestStore } from '../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

/*
 * Rules: contract 2.6, 8.13.
 *
 * Goal: ENCRYPTION_KEY can be changed while the service runs, and no merchant's secret changes or is lost by it
 * (contract 2.6). Method: replicas under different keys on one database, and the built command between them.
 */

const key = () => randomBytes(32).toString('base64');
const [FIRST, SECOND, THIRD] = [key(), key(), key()];

let database: TestDatabase;
let before: TestApp;
let user: { Authorization: string };
let stores: TestStore[];

beforeAll(async () => {
  database = await createTestDatabase();
  before = await startTestApp({ database, environment: { ENCRYPTION_KEY: FIRST } });
  user = await signIn(before.http);
  stores = [];
  for (let index = 0; index < 5; index += 1) stores.push(await createStore(before.http, user));
  await before.http.post(`/api/v1/stores/${stores[0]?.id}/signing-secret/rotate`, undefined, user);
});
afterAll(async () => {
  await before.close();
  await database.drop();
});

const startUnder = (current: string, ...old: string[]) =>
  startTestApp({ database, environment: { ENCRYPTION_KEY: current, ENCRYPTION_KEYS_OLD: old.join(',') } });

async function secretsSeenBy(replica: TestApp): Promise<unknown[]> {
  return Promise.all(
    stores.map(async ({ id }) => [
      (await replica.http.get(`/api/v1/stores/${id}/webhook-secret`, user)).body,
      (await replica.http.get(`/api/v1/stores/${id}/signing-secret`, user)).body,
    ]),
  );
}

const reencrypt = (environment: Record<string, string>) =>
  runCommand('secrets:reencrypt', [], { DATABASE_URL: database.url, JWT_SECRET: key(), ...environment });

async function keysInUse(): Promise<number> {
  const rows = await database.query('SELECT DISTINCT substring(ciphertext FROM 2 FOR 4) FROM store_secrets');
  return rows.length;
}

describe('a new encryption key', () => {
  it('opens nothing alone: a replica without the old one does not start, and says what is missing', async () => {
    const start = startUnder(SECOND);
    await expect(start).rejects.toThrow(ConfigurationError);
    await expect(start).rejects.toThrow(
      /^ENCRYPTION_KEY is not the key of the secrets.*ENCRYPTION_KEYS_OLD\.$/,
    );
  });

  it('beside the old one opens everything and seals what is new; a replica that knows both follows', async () => {
    const seen = await secretsSeenBy(before);
    const prepared = await startUnder(FIRST, SECOND);
    const renewed = await startUnder(SECOND, FIRST);
    try {
      expect(await secretsSeenBy(renewed)).toEqual(seen);
      const store = await createStore(renewed.http, user);
      stores.push(store);
      expect(await keysInUse()).toBe(2);
      const answer = await prepared.http.get(`/api/v1/stores/${store.id}/webhook-secret`, user);
      expect(answer.body['webhookSecret']).toBe(store.webhookSecret);
      for (const { key: header } of stores) {
        expect((await renewed.http.get('/api/v1/payments', header)).status).toBe(200);
      }
    } finally {
      await prepared.close();
      await renewed.close();
    }
  });

  it('takes over completely: after the command the old one is not needed any more, and nothing has changed', async () => {
    const both = await startUnder(SECOND, FIRST);
    const seen = await secretsSeenBy(both);
    const columns = 'id, store_id, kind, digest, hint, created_at, retired_at, signs_until';
    const rows = await database.query(`SELECT ${columns} FROM store_secrets ORDER BY id`);
    await both.close();

    const first = await reencrypt({ ENCRYPTION_KEY: SECOND, ENCRYPTION_KEYS_OLD: FIRST });
    expect(first.output).toBe(
      '16 of 16\n16 secrets re-encrypted. ENCRYPTION_KEYS_OLD can be removed from all replicas.\n',
    );
    expect(first.code).toBe(0);
    expect(await keysInUse()).toBe(1);
    expect(await reencrypt({ ENCRYPTION_KEY: SECOND })).toMatchObject({
      code: 0,
      output: 'Every secret is under ENCRYPTION_KEY already.\n',
    });

    const alone = await startUnder(SECOND);
    try {
      expect(await secretsSeenBy(alone)).toEqual(seen);
      expect(await database.query(`SELECT ${columns} FROM store_secrets ORDER BY id`)).toEqual(rows);
    } finally {
      await alone.close();
    }
  });

  it('can be stopped in the middle and goes on, and names what no key opens', async () => {
    const replica = await startUnder(SECOND);
    const raw = replica.app.get(Database);
    const box = new SecretBox({
      encryptionKey: Buffer.from(THIRD, 'base64'),
      oldEncryptionKeys: [Buffer.from(SECOND, 'base64')],
    });
    try {
      const stop = () => {
        throw new Error('stopped');
      };
      await expect(reencryptSecrets(raw, box, { batchSize: 4, onProgress: stop })).rejects.toThrow('stopped');
      expect(await keysInUse()).toBe(2);
      const seen: ReencryptionProgress[] = [];
      const onProgress = (progress: ReencryptionProgress) => seen.push(progress);
      const rest = await reencryptSecrets(raw, box, { batchSize: 4, onProgress });
      const total = 19 - 4;
      expect(rest).toEqual({ reencrypted: total, unreadable: 0, seen: total, total });
      expect(seen.map((progress) => progress.seen)).toEqual([4, 8, 12, 15]);
      expect(await keysInUse()).toBe(1);
    } finally {
      await replica.close();
    }
    const lost = await reencrypt({ ENCRYPTION_KEY: FIRST, ENCRYPTION_KEYS_OLD: SECOND });
    expect(lost.code).toBe(1);
    expect(lost.output).toMatch(/^19 of 19\n0 secrets re-encrypted; 19 could not be opened with any key\./);
    expect(lost.output).not.toContain(SECOND);
  });
});
