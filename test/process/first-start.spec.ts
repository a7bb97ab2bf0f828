import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltService, startBuiltService } from '../support/built-service.js';
import { eventually } from '../support/eventually.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

/*
 * Rules: contract 2.22, 2.23, 8.2 to 8.5, 8.20.
 *
 * Goal: who starts the service for the first time reads everything that is needed to try it, and what is printed
 * works as it stands. Method: the built service without any setting but a port; then its lines, one after the other.
 */

/** Asks what a curl line asks; curl itself need not be there. */
async function answerTo(line: string): Promise<unknown> {
  const [, ...words] = [...line.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);
  const url = words.find((word) => word.startsWith('http')) ?? '';
  const after = (option: string) =>
    words.flatMap((word, index) => (word === option ? [words[index + 1] ?? ''] : []));
  const [body] = after('-d');
  const headers = after('-H').map((header): [string, string] => {
    const [name = '', value = ''] = header.split(': ');
    return [name, value];
  });
  const method = body === undefined ? 'GET' : 'POST';
  return (await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) })).json();
}

describe('the first start, with nothing configured', () => {
  let folder: string;
  let service: BuiltService;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'joma-first-start-'));
    service = await start();
  });
  afterAll(async () => {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const start = () =>
    startBuiltService({ DATA_DIR: folder, ENCRYPTION_KEY: '', JWT_SECRET: '', ADMIN_PASSWORD: '' });
  const printed = (pattern: RegExp): Promise<string> =>
    eventually(
      () => Promise.resolve(pattern.exec(service.output())?.[1] ?? ''),
      (found) => found !== '',
      `a line such as ${String(pattern)}`,
    );

  it('prints addresses that answer', async () => {
    for (const pattern of [/Dashboard +(\S+)/, /Swagger UI +(\S+)/, /Checkout +(\S+)/])
      expect((await fetch(await printed(pattern))).status).toBe(200);
    expect(await printed(/API +(http\S+)/)).toMatch(/\/api\/v1$/);
  });

  it('prints the password of an admin, who signs in with it', async () => {
    const [email, password] = [await printed(/Admin +(\S+)/), await printed(/Password +(\S+) /)];
    expect((await service.http.post('/api/v1/auth/login', { email, password })).status).toBe(200);
  });

  it('prints curl lines that verify a payment', async () => {
    await printed(/(npm run phone)/);
    const lines = service.output().match(/^curl .*$/gm) ?? [];
    expect(lines).toHaveLength(5);
    const answers: unknown[] = [];
    for (const line of lines) answers.push(await answerTo(line));
    expect(answers).toMatchObject([
      { status: 'pending', note: 'Order 1002' },
      { status: 'submitted' },
      { status: 'matched' },
      { status: 'verified' },
      { data: [{ event: 'payment.verified', status: 'held' }] },
    ]);
  });

  it('keeps the secrets that it generates to itself, and everything over a second start', async () => {
    const checkout = await printed(/Checkout +(\S+)/);
    const secrets = await stat(join(folder, 'encryption-key'));
    expect(secrets.mode & 0o777).toBe(0o600);
    expect(await service.stop()).toBe(0);
    service = await start();
    expect(await printed(/Admin +(.+)$/m)).toMatch(/password as set, or as shown at the first start/);
    expect(service.output()).not.toMatch(/Password/);
    const id = checkout.split('/').at(-1) ?? '';
    expect((await service.http.get(`/api/v1/payments/public/${id}`)).body['status']).toBe('verified');
  });
});

describe('a start with a database of its own', () => {
  let database: TestDatabase;
  let service: BuiltService;
  beforeAll(async () => {
    database = await createTestDatabase();
    service = await startBuiltService({ DATABASE_URL: database.url });
  });
  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  it('makes no demo store, and prints neither its keys nor curl lines', async () => {
    await eventually(
      () => Promise.resolve(service.output()),
      (text) => /Stop with/.test(text),
      'its page',
    );
    expect(service.output()).toMatch(/Dashboard +http/);
    expect(service.output()).not.toMatch(/Checkout|curl|joma_sk_|joma_wh_/);
    const stores = await database.query('SELECT FROM stores');
    expect(stores).toHaveLength(0);
  });
});
