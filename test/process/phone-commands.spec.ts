import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PHONE_APPS } from '../../src/tools/phone/phone-apps.js';
import { runCommand } from '../support/command.js';
import { type BuiltService, SHARED_SECRETS, startBuiltService } from '../support/built-service.js';
import { bkashText } from '../support/bkash-text.js';
import { createStore, signIn, type TestStore } from '../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

/*
 * Rules: contract 9.16.
 *
 * Goal: `npm run phone` and `npm run sms:reread` do what they say, as they are built. Method: the programs themselves
 * against a service that runs; their words and exit codes, and what the API says afterwards.
 */

let database: TestDatabase;
let service: BuiltService;
let store: TestStore;
let admin: { Authorization: string };

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startBuiltService({ DATABASE_URL: database.url });
  admin = await signIn(service.http);
  const wallets = [{ provider: 'bkash', number: '01700000001', accountType: 'personal' }];
  store = await createStore(service.http, admin, { wallets });
});
afterAll(async () => {
  await service.stop('SIGKILL');
  await database.drop();
});

const phone = (...parameters: string[]) =>
  runCommand('phone', [
    ...['--url', service.http.url, '--store', store.id, '--secret', store.webhookSecret],
    ...parameters,
  ]);

describe('npm run phone', () => {
  it.each(Object.keys(PHONE_APPS))('as %s brings a receipt, once', async (app) => {
    const { code, out, errors } = await phone('--app', app, '--amount', '1250.5', '--times', '2');
    expect(errors).toBe('');
    expect(out.split('\n').map((line) => line.split(' ')[0])).toEqual(['bKash:', '200', '200', '']);
    expect(out).toContain('"status":"unmatched"');
    expect(out).toContain('"status":"duplicate"');
    expect(code).toBe(0);
    const path = `/api/v1/stores/${store.id}/receipts?limit=1`;
    const { body } = await service.http.get<{ data: { amount: number; app: string }[] }>(path, admin);
    expect(body.data[0]).toMatchObject({ amount: 1250.5, app: app.replace('-form', '') });
  });

  it('says in a line what is missing or wrong, and ends with 1', async () => {
    for (const [parameters, said] of [
      [['--app', 'fax'], /--app is one of bogkonstantin, smsgate, /],
      [['--amount', 'much'], /--amount/],
      [['--times', '0'], /--times/],
      [['--secret', ''], /--secret/],
      [['--fax'], /--fax/],
      [['--url', 'http://127.0.0.1:1'], /http:\/\/127\.0\.0\.1:1/],
    ] as const) {
      const { code, errors } = await phone(...parameters);
      expect(code, parameters.join(' ')).toBe(1);
      expect(errors).toMatch(said);
      expect(errors.trim().split('\n'), errors).toHaveLength(1);
    }
    const refused = await phone('--secret', 'joma_wh_wrong');
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.out).toMatch(/^401 /m);
  });
});

describe('npm run sms:reread', () => {
  const environment = () => ({
    ...SHARED_SECRETS,
    DATABASE_URL: database.url,
    ADMIN_EMAIL: 'admin@example.com',
    LOG_LEVEL: 'warn',
  });

  it('says how far it is, counts, and matches what can be read by now', async () => {
    const trxId = 'DIJ9REREAD';
    const { body: payment } = await service.http.post<{ id: string }>(
      '/api/v1/payments',
      { amount: 77 },
      store.key,
    );
    await service.http.post(`/api/v1/payments/public/${payment.id}/verify`, { trxId });
    const unknown = 'You have got Tk 77.00 of 01700000002. TrxID DIJ9REREAD at 22/11/2026 10:00';
    for (const text of [unknown, unknown.replace(trxId, 'DIJ8REREAD')]) {
      const answer = await service.http.post('/api/webhooks/joma/sms', { from: 'bKash', text }, store.phone);
      expect(answer.body).toMatchObject({ status: 'unread', reason: 'no_rule' });
    }
    // As if it had come before its wording was known.
    const known = bkashText(trxId, new Date(), { amount: '77.00', balance: '900.00' });
    await database.query(`UPDATE messages SET text = '${known}' WHERE text LIKE '%${trxId}%'`);
    const { code, out, errors } = await runCommand('sms:reread', [], environment());
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(out).toContain('1 store, 2 messages');
    expect(out).toContain('1 store: 2 messages read, 1 receipt, 0 ignored, 1 unread still.');
    const after = await service.http.get(`/api/v1/payments/${payment.id}`, store.key);
    expect(after.body).toMatchObject({ status: 'verified', trxId, payerNumber: '01700000002' });
    const again = await runCommand('sms:reread', [], environment());
    expect(again.out).toContain('1 message read, 0 receipts, 0 ignored, 1 unread still.');
  });

  it('ends with 1 where there is no database, and says so last', async () => {
    const { code, errors } = await runCommand('sms:reread', [], {
      ...environment(),
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    });
    expect(code).toBe(1);
    expect(errors.trim().split('\n').at(-1)).toContain('ECONNREFUSED');
  });
});

describe('every command', () => {
  it('stands in the help, and has a help of its own', async () => {
    const { code, out } = await runCommand('--help');
    expect(code).toBe(0);
    const names = [...out.matchAll(/^ {2}([a-z:]+) /gm)].map(([, name]) => name!);
    expect(names).toEqual(
      expect.arrayContaining(['start', 'demo', 'phone', 'audit:verify', 'secrets:reencrypt', 'sms:reread']),
    );
    for (const name of names) {
      const one = await runCommand(name, ['--help']);
      expect([one.code, one.out.includes(`cli.js ${name}`)], name).toEqual([0, true]);
    }
  });

  it('that is not there is named, with those that are', async () => {
    const { code, errors } = await runCommand('sms:read');
    expect(code).toBe(1);
    expect(errors).toContain('There is no command "sms:read".');
    expect(errors).toContain('sms:reread');
  });
});
