import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort, SHARED_SECRETS } from '../support/built-service.js';
import { eventually } from '../support/eventually.js';
import { HttpClient } from '../support/http-client.js';
import { ADMIN_EMAIL, ADMIN_PASSWORD, createStore, signIn } from '../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { receiptBody } from '../support/receipt-body.js';

/*
 * Rules: contract 13.1 to 13.4, 13.6, 13.9.
 *
 * Goal: the extension of docs/extending.md builds and runs as printed, and touches nothing but src/extensions/. Method:
 * its files are written into a copy of the tree, which is built; then the service is killed and started again. Beside
 * it stand extensions whose names are taken: the start ends with one line for each.
 */

const run = promisify(execFile);
const COPIED = [
  'src',
  'migrations',
  'test/openapi.json',
  'ormconfig.ts',
  'nest-cli.json',
  'tsconfig.json',
  'package.json',
];

let folder: string;
let database: TestDatabase;
const running: { kill(): Promise<void> }[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'joma-sample-'));
  database = await createTestDatabase();
  for (const name of COPIED) await cp(resolve(name), join(folder, name), { recursive: true });
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
});
afterAll(async () => {
  for (const service of running) await service.kill();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

/** What the service is started with; the extensions by name. */
async function environmentOf(extensions: string): Promise<{ port: number; env: Record<string, string> }> {
  const port = await freePort();
  const env = {
    PATH: process.env['PATH'] ?? '',
    ...SHARED_SECRETS,
    PORT: String(port),
    DATABASE_URL: database.url,
    ADMIN_EMAIL,
    ADMIN_PASSWORD,
    EXTENSIONS: extensions,
    LOG_LEVEL: 'silent',
  };
  return { port, env };
}

/** The lines with which a start ends that fails. */
async function refusalOf(extensions: string): Promise<{ code: unknown; lines: string[] }> {
  const { env } = await environmentOf(extensions);
  const failed = run(process.execPath, ['dist/src/main.js'], { cwd: folder, env, timeout: 60_000 });
  const error = await failed.then(
    () => ({ code: 0, stderr: '' }),
    (reason: unknown) => reason as { code: unknown; stderr: string },
  );
  return { code: error.code, lines: error.stderr.trim().split('\n') };
}

/** An extension that has a name which is taken. */
function clashing(
  name: string,
  { route = `api/v1/${name}`, sql = 'SELECT 1', migration = `${pascal(name)}1765000000000` },
) {
  return `import { Controller, Get, Module } from '@nestjs/common';
import type { Extension } from '../extension.js';

@Controller('${route}')
class OwnController {
  @Get()
  show(): object {
    return {};
  }
}

@Module({ controllers: [OwnController] })
class OwnModule {}

class ${migration} {
  readonly name = '${migration}';
  async up(queryRunner: { query(text: string): Promise<unknown> }): Promise<void> {
    await queryRunner.query(\`${sql}\`);
  }
  async down(): Promise<void> {}
}

export const CLASH: Extension = { name: '${name}', module: OwnModule, migrations: [${migration}], errorCodes: {} };
`;
}

const pascal = (name: string) => name.replace(/(?:^|-)(\w)/g, (_all, letter: string) => letter.toUpperCase());

const CLASHES = {
  'core-route': { route: 'api/v1/payments' },
  'tally-route': { route: 'api/v1/tally' },
  'core-table': { sql: 'CREATE TABLE payments (id uuid)' },
  'tally-table': { sql: 'CREATE TABLE tallies (id uuid)' },
  'tally-migration': { migration: 'Tallies1764000000000' },
};

async function start(extensions = 'tally'): Promise<{ http: HttpClient; kill(): Promise<void> }> {
  const { port, env } = await environmentOf(extensions);
  const child = spawn(process.execPath, ['dist/src/main.js'], { cwd: folder, stdio: 'ignore', env });
  const exited = once(child, 'exit');
  const http = new HttpClient(`http://127.0.0.1:${port}`);
  const isReady = () =>
    http.get('/health/ready').then(
      ({ status }) => status === 200,
      () => false,
    );
  await eventually(isReady, Boolean, 'a ready service', 60_000);
  const service = {
    http,
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
  running.push(service);
  return service;
}

it('builds, runs, and hears of a store without a URL, also after a crash', { timeout: 480_000 }, async () => {
  const page = await readFile('docs/extending.md', 'utf8');
  const files = [...page.matchAll(/```ts\n\/\/ (src\/extensions\/\S+)\n([\s\S]*?)```/g)];
  expect(files).toHaveLength(3);
  for (const [, path = '', text = ''] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    // An extension's file may await at its top level, though `require`, by which the program is read, cannot.
    await writeFile(join(folder, path), `${text}\nawait Promise.resolve();\n`);
  }
  const list = join(folder, 'src/extensions/index.ts');
  let text = await readFile(list, 'utf8');
  const add = (constant: string, path: string, as = constant) => {
    const imported = as === constant ? constant : `${constant} as ${as}`;
    text = `import { ${imported} } from '${path}';\n${text.replace('readonly Extension[] = [', `readonly Extension[] = [${as}, `)}`;
  };
  add('TALLY', './tally/tally.extension.js');
  for (const [name, taken] of Object.entries(CLASHES)) {
    await mkdir(join(folder, 'src/extensions', name), { recursive: true });
    await writeFile(join(folder, 'src/extensions', name, 'clash.ts'), clashing(name, taken));
    add('CLASH', `./${name}/clash.js`, pascal(name));
  }
  await writeFile(list, text);
  await run(process.execPath, [resolve('node_modules/@nestjs/cli/bin/nest.js'), 'build'], { cwd: folder });

  const first = await start();
  const store = await createStore(first.http, await signIn(first.http), {
    wallets: [{ provider: 'haatpay', number: '01700000001', accountType: 'personal' }],
  });
  const verify = async (http: HttpClient, trxId: string) => {
    const payment = await http.post<{ id: string }>('/api/v1/payments', { amount: 5 }, store.key);
    await http.post(`/api/v1/payments/public/${payment.body.id}/verify`, { trxId });
    await http.post('/api/webhooks/joma', receiptBody({ trxId, amount: 5 }), store.phone);
  };
  const tally = async (http: HttpClient) =>
    (await http.get<{ verified: number }>('/api/v1/tally', store.key)).body.verified;
  await verify(first.http, 'SAMPLE0001');
  await eventually(
    () => tally(first.http),
    (count) => count === 1,
    'the first tally',
  );
  await verify(first.http, 'SAMPLE0002');
  await first.kill();
  const second = await start();
  await eventually(
    () => tally(second.http),
    (count) => count === 2,
    'the tally after a crash',
  );
  // A text of the extension's own wallet, as any forwarder sends it.
  const sold = await second.http.post<{ id: string }>('/api/v1/payments', { amount: 5 }, store.key);
  const [year = '', month = '', rest = ''] = new Date(Date.now() + 6 * 3_600_000).toISOString().split('-');
  const minute = `${rest.slice(0, 2)}/${month}/${year} ${rest.slice(3, 8)}`;
  const sms = `You got Tk 5.00 from 01700000009. Balance Tk 1,005.00. TrxID HAAT000003 at ${minute}.`;
  const read = await second.http.post(
    '/api/webhooks/joma/sms',
    { from: 'HaatPay', text: sms, app: 'any' },
    store.phone,
  );
  expect(read.body, read.text).toMatchObject({ status: 'unmatched' });
  const entered = await second.http.post(`/api/v1/payments/public/${sold.body.id}/verify`, {
    trxId: 'HAAT000003',
  });
  expect(entered.body, entered.text).toMatchObject({ status: 'verified' });
  const payment = await second.http.get(`/api/v1/payments/${sold.body.id}`, store.key);
  expect(payment.body).toMatchObject({
    provider: 'haatpay',
    trxId: 'HAAT000003',
    payerNumber: '01700000009',
  });
  await eventually(
    () => tally(second.http),
    (count) => count === 3,
    'the tally of its own wallet',
  );
  const refused = await second.http.get('/api/v1/tally');
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'ApiKey realm="joma"']);

  // Off: its routes are gone, its table stays for the next time.
  await second.kill();
  const off = await start('');
  expect((await off.http.get('/api/v1/tally', store.key)).status).toBe(404);
  expect((await off.http.get('/api/docs/openapi.json')).text).not.toContain('tally');
  expect(await database.query('SELECT 1 FROM tallies')).toHaveLength(3);
  await off.kill();

  const end = (line: RegExp) => ({ code: 1, lines: [expect.stringMatching(line) as string] });
  for (const [extensions, line] of [
    ['tally,core-route', /^EXTENSIONS: .*'\/api\/v1\/payments'/],
    ['tally,tally-route', /^EXTENSIONS: .*'\/api\/v1\/tally'/],
    ['core-table', /^EXTENSIONS: the database cannot be migrated: .*"payments"/],
    ['tally,tally-table', /^EXTENSIONS: the database cannot be migrated: .*"tallies"/],
    [
      'tally,tally-migration',
      /^EXTENSIONS: the migration "Tallies1764000000000" of "tally-migration" is taken by "tally"\.$/,
    ],
    ['taly', /^EXTENSIONS names "taly", but there is no such extension; there is .*tally/],
  ] as const)
    expect(await refusalOf(extensions), extensions).toEqual(end(line));
  const last = await start('tally,tally');
  expect(await tally(last.http)).toBe(3);
});
