import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStore, signIn, startTestApp, type TestApp } from '../../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.js';
import { receiptBody } from '../../support/receipt-body.js';

/*
 * Rules: contract 2.37.
 *
 * Goal: the service runs with a database role that cannot change the audit log nor drop the triggers that guard it
 * (contract 2.37). Method: the statements of docs/security.md, as they stand there, and the main flow with that role.
 */

const ROLE = `joma_service_${randomBytes(6).toString('hex')}`;
let database: TestDatabase;
let service: TestApp;
let asService: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  const block = /```sql\n(CREATE ROLE joma_service[^]*?)```/.exec(
    readFileSync('docs/security.md', 'utf8'),
  )?.[1];
  const statements = (block ?? '').replaceAll('joma_service', ROLE).replace('…', 'secret');
  for (const statement of statements.split(';').filter((text) => text.trim() !== ''))
    await database.query(statement);
  const url = new URL(database.url);
  [url.username, url.password] = [ROLE, 'secret'];
  asService = new Client({ connectionString: url.href });
  await asService.connect();
  service = await startTestApp({
    database: { url: url.href, query: (text) => database.query(text), drop: () => Promise.resolve() },
  });
});
afterAll(async () => {
  await service.close();
  await asService.end();
  await database.query(`DROP OWNED BY ${ROLE}`);
  await database.query(`DROP ROLE ${ROLE}`);
  await database.drop();
});

describe('the role of the service', () => {
  it('is enough for the main flow', async () => {
    const admin = await signIn(service.http);
    const wallets = [{ provider: 'bkash', number: '01700000001' }];
    const store = await createStore(service.http, admin, { wallets });
    const payment = await service.http.post<{ id: string }>('/api/v1/payments', { amount: 500 }, store.key);
    const receipt = receiptBody({ trxId: 'DIJ3MXAHCJ' });
    expect((await service.http.post('/api/webhooks/joma', receipt, store.phone)).status).toBe(200);
    const path = `/api/v1/payments/public/${payment.body.id}/verify`;
    const verified = await service.http.post(path, { trxId: 'DIJ3MXAHCJ' });
    expect(verified.body).toMatchObject({ status: 'verified' });
    const audit = await service.http.get(`/api/v1/stores/${store.id}/audit-log`, admin);
    expect(audit.text).toContain('store.created');
  });

  it.each([
    'DROP TRIGGER audit_entries_no_change ON audit_entries',
    'ALTER TABLE audit_entries DISABLE TRIGGER ALL',
    'DELETE FROM audit_entries',
    `UPDATE audit_entries SET action = 'nothing'`,
    'TRUNCATE audit_entries',
    'DROP TABLE audit_entries',
    'CREATE OR REPLACE FUNCTION audit_entries_append_only() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$',
    `SET session_replication_role = 'replica'`,
  ])('may not: %s', async (statement) => {
    await expect(asService.query(statement)).rejects.toThrow(/permission denied|must be owner/);
  });
});
