import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/built-service.js';
import { eventually } from '../support/eventually.js';
import { ADMIN_EMAIL, ADMIN_PASSWORD, startTestApp, type TestApp } from '../support/test-app.js';

/*
 * Rules: contract 8.9.
 *
 * Goal: `npm run demo` succeeds only when everything happened, says what did not, and leaves nothing behind (contract
 * 8.9). Method: the built demo as a process of its own.
 */

const STEPS = [
  /merchant +creates a payment .* pending/,
  /payer +opens the checkout page http/,
  /payer +submits .* submitted/,
  /phone +forwards the receipt .* matched/,
  /merchant +reads the payment .* verified/,
  /merchant +received payment\.verified/,
  /merchant +checks X-Service-Signature .* right/,
  /merchant +checks webhook-id, .* right/,
];

let temporary: string;
beforeAll(async () => {
  temporary = await mkdtemp(join(tmpdir(), 'joma-demo-test-'));
});
afterAll(() => rm(temporary, { recursive: true, force: true }));

function startDemo(environment: Record<string, string>) {
  const child = spawn(process.execPath, [resolve('dist/src/tools/cli.js'), 'demo'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], TMPDIR: temporary, ...environment },
  });
  const printed = { out: '', error: '' };
  child.stdout.on('data', (chunk: Buffer) => (printed.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (printed.error += chunk.toString()));
  return { child, printed, closed: once(child, 'close') as Promise<[number | null]> };
}

async function runDemo(environment: Record<string, string>) {
  const { printed, closed } = startDemo(environment);
  const [code] = await closed;
  return { code, ...printed };
}

describe('by itself', () => {
  it('plays both rounds on a service of its own, in order, and removes what that kept', async () => {
    // A database that is configured in the shell is not the demo's to use.
    const { code, out, error } = await runDemo({ DATABASE_URL: 'postgres://127.0.0.1:1/not-for-demos' });
    expect([code, error]).toEqual([0, '']);
    for (const round of out.split('By Bangla QR')) {
      const places = STEPS.map((step) => round.search(step));
      expect(places).not.toContain(-1);
      expect(places).toEqual([...places].sort((left, right) => left - right));
    }
    expect(out).toMatch(/reads the link → 1 payment, 300 BDT/);
    expect(out).toMatch(/received payment\.refunded.* right/);
    expect(out).toMatch(/message about the money sent → confirmed/);
    expect(out).toContain('Everything happened: two payments verified');
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('stops its service when it is stopped itself', async () => {
    const { child, printed, closed } = startDemo({});
    await eventually(
      () => printed.out,
      (text) => text.includes('starts, on an empty database'),
      'the start',
    );
    child.kill('SIGTERM');
    const [code] = await closed;
    expect(code).toBe(1);
    expect(printed.error).toContain('The demo failed: it was stopped by SIGTERM');
    expect(readdirSync(temporary)).toEqual([]);
  });
});

describe('with JOMA_URL', () => {
  let service: TestApp;
  beforeAll(async () => {
    service = await startTestApp();
  });
  afterAll(() => service.close());

  it('fails with one clear line when it may not sign in', async () => {
    const wrong = { ADMIN_EMAIL, ADMIN_PASSWORD: 'not the password' };
    const { code, error } = await runDemo({ JOMA_URL: service.http.url, ...wrong });
    expect(code).toBe(1);
    expect(error.trim()).toBe(
      'The demo failed: POST /api/v1/auth/login was answered 401: auth.invalid_credentials, The e-mail address or the password is wrong.',
    );
  });

  it('fails when nothing answers there', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { code, error } = await runDemo({ JOMA_URL: url, ADMIN_PASSWORD });
    expect([code, error]).toEqual([1, expect.stringContaining(`${url}/health/ready does not answer 200`)]);
  });
});
