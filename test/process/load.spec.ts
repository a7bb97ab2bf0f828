import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADMIN_EMAIL, ADMIN_PASSWORD, signIn, startTestApp, type TestApp } from '../support/test-app.js';

/*
 * Rules: none: a command beside the contract.
 *
 * Goal: `npm run load` measures somebody's installation, says what it found, and leaves no store behind that takes
 * payments. Method: the built load test as a process of its own, for a moment.
 */

let service: TestApp;
let folder: string;

beforeAll(async () => {
  service = await startTestApp();
  folder = await mkdtemp(join(tmpdir(), 'joma-load-test-'));
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

async function runLoad(words: string[], environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, [resolve('dist/src/tools/cli.js'), 'load', ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      JOMA_URL: service.http.url,
      ADMIN_EMAIL,
      ADMIN_PASSWORD,
      ...environment,
    },
  });
  const printed = { out: '', error: '' };
  child.stdout.on('data', (chunk: Buffer) => (printed.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (printed.error += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...printed };
}

it('closes with a table and a plot, and archives its store', async () => {
  const plot = join(folder, 'plots', 'load.svg');
  const { code, out, error } = await runLoad(['--connections', '1,4', '--seconds', '0.3', '--plot', plot]);
  expect([code, error]).toEqual([
    0,
    '1 of 6 steps\n2 of 6 steps\n3 of 6 steps\n4 of 6 steps\n5 of 6 steps\n6 of 6 steps\n',
  ]);
  for (const name of ['create a payment', 'read it \\(payer\\)', 'create, enter, verify']) {
    for (const connections of [1, 4])
      expect(out).toMatch(
        new RegExp(`^\\| ${name} +\\| +${connections} \\| +[1-9][\\d,]* \\| .*\\| – +\\|$`, 'm'),
      );
  }
  const [, came, expected] = /^Webhooks: (\d+) of (\d+) came;/m.exec(out) ?? [];
  expect(Number(came)).toBeGreaterThan(0);
  expect(came).toBe(expected);
  expect((await readFile(plot, 'utf8')).match(/<circle/g)).toHaveLength(12);

  const stores = await service.http.get<{ data: { name: string; archivedAt: string | null }[] }>(
    '/api/v1/stores',
    await signIn(service.http),
  );
  expect(stores.body.data.filter(({ archivedAt }) => archivedAt === null)).toEqual([]);
  const verified = await service.database.query(`SELECT FROM payments WHERE status = 'verified'`);
  expect(verified).toHaveLength(Number(expected));
});

it.each([
  [['--connections', '0'], '--connections wants whole numbers up to 1000, such as 1,8,32'],
  [['--seconds', 'long'], '--seconds wants a number up to 3600'],
])('refuses %j in one line', async (words, line) => {
  const { code, error } = await runLoad(words);
  expect([code, error]).toEqual([1, `\nThe load test failed: ${line}\n`]);
});
