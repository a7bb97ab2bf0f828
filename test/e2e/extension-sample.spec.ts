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

/*
 * Goal: the README's extension builds and runs as printed, and touches nothing but src/extensions/.
 * Method: its files are written into a copy of the tree, which is built; then the service is killed and started again.
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

async function start(): Promise<{ http: HttpClient; kill(): Promise<void> }> {
  const port = await freePort();
  const child = spawn(process.execPath, ['dist/src/main.js'], {
    cwd: folder,
    stdio: 'ignore',
    env: {
      PATH: process.env['PATH'],
      ...SHARED_SECRETS,
      PORT: String(port),
      DATABASE_URL: database.url,
      ADMIN_EMAIL,
      ADMIN_PASSWORD,
      EXTENSIONS: 'tally',
      LOG_LEVEL: 'silent',
    },
  });
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

it('builds, runs, and hears of a store without a URL, also after a crash', { timeout: 240_000 }, async () => {
  const readme = await readFile('README.md', 'utf8');
  const files = [...readme.matchAll(/```ts\n\/\/ (src\/extensions\/\S+)\n([\s\S]*?)```/g)];
  expect(files).toHaveLength(2);
  for (const [, path = '', text = ''] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const list = join(folder, 'src/extensions/index.ts');
  const before = await readFile(list, 'utf8');
  await writeFile(
    list,
    `import { TALLY } from './tally/tally.extension.js';\n${before.replace('readonly Extension[] = [', 'readonly Extension[] = [TALLY, ')}`,
  );
  await run(process.execPath, [resolve('node_modules/@nestjs/cli/bin/nest.js'), 'build'], { cwd: folder });

  const first = await start();
  const store = await createStore(first.http, await signIn(first.http));
  const verify = async (http: HttpClient, trxId: string) => {
    const payment = await http.post<{ id: string }>('/api/v1/payments', { amount: 5 }, store.key);
    await http.post(`/api/v1/payments/public/${payment.body.id}/verify`, { trxId });
    const receipt = {
      app: 'test',
      provider: 'bkash',
      kind: 'received',
      trxId,
      amount: 5,
      counterparty: '01700000009',
    };
    await http.post('/api/webhooks/joma', { ...receipt, receivedAt: new Date().toISOString() }, store.phone);
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
  const refused = await second.http.get('/api/v1/tally');
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'ApiKey realm="joma"']);
});
