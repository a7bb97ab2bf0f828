import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChainedContent, CONTENT, entryHash } from '../../../src/platform/audit/audit-chain.js';
import { AuditLog } from '../../../src/platform/audit/audit-log.js';
import { verifyAuditLog } from '../../../src/platform/audit/audit-verification.js';
import { Database } from '../../../src/platform/database/index.js';
import { newId } from '../../../src/kernel/ids.js';
import { runCommand } from '../../support/command.js';
import { createStore, signIn, startTestApp, type TestApp, type TestStore } from '../../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.js';

/*
 * Rules: contract 2.37, 2.38.
 *
 * Goal: whatever is done to the audit log behind the service's back shows, and is named (contract 2.38). Method: two
 * replicas write at once; then a superuser switches the triggers off and does what a superuser would. Each time the
 * log is verified, and put back as it was.
 */

let database: TestDatabase;
let one: TestApp;
let two: TestApp;
let admin: { Authorization: string };
let store: TestStore;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'joma-audit-'));
  database = await createTestDatabase();
  one = await startTestApp({ database });
  two = await startTestApp({ database });
  admin = await signIn(one.http);
  store = await createStore(one.http, admin);
});
afterAll(async () => {
  await two.close();
  await one.close();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

const view = (app: TestApp, of: TestStore) => app.http.get(`/api/v1/stores/${of.id}/webhook-secret`, admin);
const verify = (...anchors: Parameters<typeof verifyAuditLog>[1][]) =>
  verifyAuditLog(one.app.get(Database), anchors[0]);

/** Does something to the log with its triggers off, looks, and undoes it. */
async function tamperedBy(statement: string, values: unknown[] = []) {
  await database.query('CREATE TABLE kept AS TABLE audit_entries');
  await database.query('ALTER TABLE audit_entries DISABLE TRIGGER USER');
  try {
    await database.query(statement, values);
    return await verify();
  } finally {
    await database.query('DELETE FROM audit_entries');
    await database.query('INSERT INTO audit_entries SELECT * FROM kept');
    await database.query('ALTER TABLE audit_entries ENABLE TRIGGER USER');
    await database.query('DROP TABLE kept');
  }
}

async function idAt(position: number): Promise<string> {
  const [row] = await database.query<{ id: string }>(
    'SELECT id FROM audit_entries WHERE chain = $1 AND position = $2',
    [store.id, position],
  );
  return row?.id ?? '';
}

const verifyAudit = (...parameters: string[]) =>
  runCommand('audit:verify', parameters, {
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    JWT_SECRET: randomBytes(32).toString('base64'),
  });

describe('the chain', () => {
  it('stays whole when two replicas write for one store, for others and for accounts at once', async () => {
    const other = await createStore(two.http, admin);
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => [
        view(index % 2 === 0 ? one : two, store),
        view(index % 2 === 0 ? two : one, other),
      ]).flat(),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    await Promise.all([signIn(one.http), signIn(two.http)]);
    const { heads, broken, entries } = await verify();
    expect(broken).toEqual([]);
    expect(heads).toHaveLength(3);
    expect(heads.find(({ chain }) => chain === store.id)?.position).toBe(41);
    expect(entries).toBe(heads.reduce((sum, { position }) => sum + position, 0));
    const [row] = await database.query('SELECT count(*)::int AS count FROM audit_entries');
    expect(row).toEqual({ count: entries });
  });

  it('has no gap after a change that was rolled back', async () => {
    const before = (await verify()).heads;
    const rename = { headers: admin, body: { webhookUrl: 'http://127.0.0.1:1/x', currency: 'XXXX' } };
    expect((await one.http.request('PATCH', `/api/v1/stores/${store.id}`, rename)).status).toBe(400);
    expect((await verify()).heads).toEqual(before);
  });
});

describe('a superuser with the triggers off', () => {
  it.each<[string, string, string]>([
    ['changes what was done', `UPDATE audit_entries SET action = 'store.seen' WHERE id = $1`, 'changed'],
    ['changes who did it', `UPDATE audit_entries SET actor_email = 'x@example.com' WHERE id = $1`, 'changed'],
    ['changes the details', `UPDATE audit_entries SET details = '{"a":1}' WHERE id = $1`, 'changed'],
    [
      'changes the time by a millisecond',
      `UPDATE audit_entries SET at = at + interval '1 ms' WHERE id = $1`,
      'changed',
    ],
    ['changes the address', `UPDATE audit_entries SET address = NULL WHERE id = $1`, 'changed'],
    ['changes the hash', `UPDATE audit_entries SET hash = sha256(hash) WHERE id = $1`, 'changed'],
    ['cuts the link', `UPDATE audit_entries SET previous_hash = sha256(hash) WHERE id = $1`, 'unlinked'],
    ['removes one', `DELETE FROM audit_entries WHERE id = $1`, 'missing'],
  ])('who %s is found at that entry', async (_what, statement, reason) => {
    const id = await idAt(7);
    const { broken } = await tamperedBy(statement, [id]);
    const missing = reason === 'missing';
    expect(broken).toEqual([{ chain: store.id, position: 7, id: missing ? null : id, reason }]);
    expect((await verify()).broken).toEqual([]);
  });

  it('who lets two entries change places is found at the first of them', async () => {
    const { broken } = await tamperedBy(
      `UPDATE audit_entries mine SET at = other.at, action = other.action, details = other.details
       FROM audit_entries other
       WHERE mine.chain = $1 AND other.chain = $1 AND (mine.position, other.position) IN ((1, 2), (2, 1))`,
      [store.id],
    );
    expect(broken).toEqual([{ chain: store.id, position: 1, id: await idAt(1), reason: 'changed' }]);
  });

  it('who writes an entry of their own at the end is found there', async () => {
    const forged = newId();
    const { broken } = await tamperedBy(
      `INSERT INTO audit_entries
         (id, at, store_id, actor_type, action, details, chain, position, previous_hash, hash)
       SELECT $2, now(), store_id, 'system', 'store.updated', '{}', chain, position + 1, hash, sha256('forged')
       FROM audit_entries WHERE chain = $1 ORDER BY position DESC LIMIT 1`,
      [store.id, forged],
    );
    expect(broken).toEqual([{ chain: store.id, position: 42, id: forged, reason: 'changed' }]);
  });

  it('who cuts off the end, removes a whole chain or computes it anew is found with the heads of an earlier time', async () => {
    const { heads } = await verify();
    const head = heads.find(({ chain }) => chain === store.id);
    expect((await verify(heads)).broken).toEqual([]);
    await database.query('CREATE TABLE kept AS TABLE audit_entries');
    await database.query('ALTER TABLE audit_entries DISABLE TRIGGER USER');
    try {
      await database.query('DELETE FROM audit_entries WHERE chain = $1 AND position > 40', [store.id]);
      expect((await verify()).broken).toEqual([]);
      expect((await verify(heads)).broken).toEqual([
        { chain: store.id, position: 41, id: null, reason: 'missing' },
      ]);
      await database.query('DELETE FROM audit_entries WHERE chain = $1', [store.id]);
      expect((await verify(heads)).broken).toEqual([
        { chain: store.id, position: 1, id: null, reason: 'missing' },
      ]);
      await database.query('INSERT INTO audit_entries SELECT * FROM kept WHERE chain = $1', [store.id]);
      await computeAnew(head?.position ?? 0);
      expect((await verify()).broken).toEqual([]);
      expect((await verify(heads)).broken).toMatchObject([{ position: 41, reason: 'rewritten' }]);
    } finally {
      await database.query('DELETE FROM audit_entries');
      await database.query('INSERT INTO audit_entries SELECT * FROM kept');
      await database.query('ALTER TABLE audit_entries ENABLE TRIGGER USER');
      await database.query('DROP TABLE kept');
    }
  });

  /** What somebody does who knows how entries are hashed: another story, and every hash after it right. */
  async function computeAnew(length: number): Promise<void> {
    await database.query(`UPDATE audit_entries SET address = '192.0.2.1' WHERE id = $1`, [await idAt(3)]);
    let previousHash: Buffer | null = null;
    for (let position = 1; position <= length; position += 1) {
      const [row] = await database.query<ChainedContent>(
        `SELECT ${CONTENT} FROM audit_entries WHERE chain = $1 AND position = $2`,
        [store.id, position],
      );
      if (row === undefined) throw new Error(`There is no entry ${position}.`);
      const hash = entryHash({ position, previousHash }, row);
      await database.query('UPDATE audit_entries SET previous_hash = $2, hash = $3 WHERE id = $1', [
        row.id,
        previousHash,
        hash,
      ]);
      previousHash = hash;
    }
  }
});

describe('npm run audit:verify', () => {
  it('prints the heads and exits with 0, or names the first broken entry and exits with 1', async () => {
    const whole = await verifyAudit();
    expect(whole.output).toMatch(
      /^(head [0-9a-f-]{36} \d+ [0-9a-f]{64}\n){3}The audit log is whole: \d+ entries in 3 chains\.\n$/,
    );
    expect(whole.code).toBe(0);
    const file = join(folder, 'heads.txt');
    writeFileSync(file, whole.output);
    await view(one, store);
    expect((await verifyAudit(file)).code).toBe(0);

    const id = await idAt(9);
    await database.query('ALTER TABLE audit_entries DISABLE TRIGGER USER');
    await database.query(`UPDATE audit_entries SET action = 'store.seen' WHERE id = $1`, [id]);
    const broken = await verifyAudit(file);
    expect(broken.code).toBe(1);
    expect(broken.output).toContain(`BROKEN store ${store.id}: entry 9 (${id}) is not what was written.\n`);
    expect(broken.output).not.toContain('whole');
    await database.query(`UPDATE audit_entries SET action = 'webhook_secret.viewed' WHERE id = $1`, [id]);
    await database.query('ALTER TABLE audit_entries ENABLE TRIGGER USER');
    expect((await verifyAudit(file)).code).toBe(0);
  });
});

describe('an entry', () => {
  it('keeps an address, but not whatever text a proxy passes on for one', async () => {
    const other = await createStore(one.http, admin);
    await one.app
      .get(Database)
      .transaction((tx) =>
        one.app
          .get(AuditLog)
          .record(tx, { by: 'system', address: 'x'.repeat(9_000) }, 'store.updated', { storeId: other.id }),
      );
    const [row] = await database.query<{ address: string }>(
      'SELECT address FROM audit_entries WHERE chain = $1 ORDER BY position DESC LIMIT 1',
      [other.id],
    );
    expect(row?.address).toBe('x'.repeat(64));
    expect((await verify()).broken).toEqual([]);
  });
});
