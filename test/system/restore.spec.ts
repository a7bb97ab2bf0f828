import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { appendFile, chmod, chown, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { queryOnce } from '../support/query-once.js';
import { freePort, startBuiltService, SHARED_SECRETS } from '../support/built-service.js';
import { createStore, signIn, type TestStore } from '../support/test-app.js';
import type { HttpClient } from '../support/http-client.js';
import { receiptBody } from '../support/receipt-body.js';

/*
 * Goal: the backup of docs/operating.md brings the service back to an instant, with nothing but PostgreSQL's own
 * programs. Method: a server of the system with the settings that stand there; a base backup between two payments, an
 * instant between two others; then the data are gone.
 */

const run = promisify(execFile);
const DEBIAN = '/usr/lib/postgresql';
const document = await readFile('docs/operating.md', 'utf8');

let folder: string;
let data: string;
let port: number;
let user: { uid: number; gid: number } | undefined;

/** Runs a program of PostgreSQL; root may not, so it is `postgres` that does. */
async function postgres(program: string, ...args: string[]): Promise<void> {
  await run(join(binFolder(), program), args, { ...user, env: { PATH: process.env['PATH'], LC_ALL: 'C' } });
}

/** Debian keeps the programs of the server out of the PATH. @throws Error that names the missing package */
function binFolder(): string {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).filter((name) => /^\d+$/.test(name)) : [];
  const newest = versions.map(Number).sort((one, other) => other - one)[0];
  const folder = join(DEBIAN, String(newest), 'bin');
  if (existsSync(join(folder, 'initdb'))) return folder;
  throw new Error('initdb is missing. It comes with the package postgresql: apt-get install postgresql');
}

/** A setting as docs/operating.md writes it, with the folders of this test. */
function documented(name: string): string {
  const value = new RegExp(`${name} = ('[^']*'|\\w+)`).exec(document)?.[1];
  if (value === undefined) throw new Error(`docs/operating.md does not set ${name}.`);
  return `${name} = ${value.replaceAll('/backup', folder)}\n`;
}

const url = () => `postgres://postgres@127.0.0.1:${port}/postgres`;
const start = () => postgres('pg_ctl', 'start', '--wait', '-D', data, '-l', join(folder, 'log'));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'joma-restore-'));
  data = join(folder, 'main');
  port = await freePort();
  if (process.getuid?.() === 0) {
    const id = (kind: string) => Number(execFileSync('id', [kind, 'postgres'], { encoding: 'utf8' }));
    user = { uid: id('-u'), gid: id('-g') };
    await chown(folder, user.uid, user.gid);
  }
  await chmod(folder, 0o755);
  await postgres('initdb', '-D', data, '-U', 'postgres', '--auth=trust');
  await mkdir(join(folder, 'wal'));
  if (user !== undefined) await chown(join(folder, 'wal'), user.uid, user.gid);
  const settings = ['archive_mode', 'archive_command', 'archive_timeout'].map(documented).join('');
  await appendFile(
    join(data, 'postgresql.conf'),
    `port = ${port}\nunix_socket_directories = ''\n${settings}`,
  );
  await start();
});
afterAll(async () => {
  await postgres('pg_ctl', 'stop', '-m', 'immediate', '-D', data).catch(() => undefined);
  await rm(folder, { recursive: true, force: true });
});

async function verifiedPayment(http: HttpClient, store: TestStore, trxId: string): Promise<string> {
  const { body } = await http.post<{ id: string }>('/api/v1/payments', { amount: 500 }, store.key);
  await http.post(`/api/v1/payments/public/${body.id}/verify`, { trxId });
  const answer = await http.post('/api/webhooks/joma', receiptBody({ trxId }), store.phone);
  expect(answer.body).toMatchObject({ status: 'matched' });
  return body.id;
}

it('brings back what was there at an instant, and nothing after it', async () => {
  const service = await startBuiltService({ DATABASE_URL: url() });
  const store = await createStore(service.http, await signIn(service.http));
  const before = await verifiedPayment(service.http, store, 'RESTORE001');
  const base = join(folder, 'base');
  await postgres(
    'pg_basebackup',
    '-h',
    '127.0.0.1',
    '-p',
    String(port),
    '-U',
    'postgres',
    `--pgdata=${base}`,
    '--checkpoint=fast',
  );
  const between = await verifiedPayment(service.http, store, 'RESTORE002');
  const [{ instant } = { instant: '' }] = await queryOnce<{ instant: string }>(
    url(),
    'SELECT now()::text AS instant',
  );
  const after = await verifiedPayment(service.http, store, 'RESTORE003');
  await queryOnce(url(), 'SELECT pg_switch_wal()');
  expect(await service.stop()).toBe(0);

  await postgres('pg_ctl', 'stop', '-m', 'fast', '-D', data);
  await rm(data, { recursive: true });
  await run('cp', ['-r', base, data], { ...user });
  const settings = ['restore_command', 'recovery_target_action'].map(documented).join('');
  await appendFile(join(data, 'postgresql.conf'), `${settings}recovery_target_time = '${instant}'\n`);
  await run('touch', [join(data, 'recovery.signal')], { ...user });
  await chmod(data, 0o700);
  await start();

  const restored = await startBuiltService({ DATABASE_URL: url() });
  const statusOf = async (id: string) =>
    (await restored.http.get<{ status: number | string }>(`/api/v1/payments/${id}`, store.key)).body.status;
  expect([await statusOf(before), await statusOf(between), await statusOf(after)]).toEqual([
    'verified',
    'verified',
    404,
  ]);
  // It takes payments again: the server is no copy that only reads.
  await verifiedPayment(restored.http, store, 'RESTORE003');
  const verify = run(process.execPath, [resolve('dist/src/tools/cli.js'), 'audit:verify'], {
    env: { PATH: process.env['PATH'], ...SHARED_SECRETS, DATABASE_URL: url() },
  });
  expect((await verify).stdout).toContain('The audit log is whole');
  expect(await restored.stop()).toBe(0);
});
