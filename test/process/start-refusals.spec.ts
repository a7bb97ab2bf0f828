import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/built-service.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

/*
 * Rules: contract 2.23, 8.10, 8.18 to 8.20.
 *
 * Goal: in production the service does not start with a secret missing or easy to guess, and says why in words a user
 * can act on, without showing a secret (contract 8.10). Method: the built service is started with each of these; it
 * has to end by itself.
 */

let database: TestDatabase;
let dataDir: string;
beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = mkdtempSync(join(tmpdir(), 'joma-refusals-'));
});
afterAll(async () => {
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

const random = () => randomBytes(32).toString('base64');

interface Ended {
  readonly code: number | null;
  readonly lines: readonly string[];
  readonly output: string;
}

async function start(environment: Record<string, string | undefined>): Promise<Ended> {
  const child = spawn(process.execPath, [resolve('dist/src/main.js')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 45_000,
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      PORT: String(await freePort()),
      DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      ENCRYPTION_KEY: random(),
      JWT_SECRET: random(),
      ADMIN_PASSWORD: 'fourteen tall giraffes',
      ...environment,
    },
  });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const code = await new Promise<number | null>((done) => child.once('close', done));
  return { code, lines: errors.split('\n').filter((line) => line !== ''), output: output + errors };
}

describe('the built service in production', () => {
  it('refuses missing secrets in one line each', async () => {
    const { code, lines } = await start({ ENCRYPTION_KEY: undefined, JWT_SECRET: '', PORT: 'http' });
    expect(code).toBe(1);
    expect(lines.toSorted()).toEqual([
      'ENCRYPTION_KEY must be set in production: 32 bytes in base64 (openssl rand -base64 32).',
      'JWT_SECRET must be set in production: at least 32 characters.',
      'PORT must be a whole number from 0 to 65535, but is "http".',
    ]);
  });

  it.each([
    [
      'that are too short',
      { ENCRYPTION_KEY: 'dG9vIHNob3J0', JWT_SECRET: 'secret-but-short', ADMIN_PASSWORD: 'short-one' },
      [
        'ADMIN_PASSWORD must be 10 to 128 characters long.',
        'ENCRYPTION_KEY must be exactly 32 bytes in base64.',
        'JWT_SECRET must be at least 32 characters long.',
      ],
    ],
  ])('refuses secrets %s in one line each, which does not show them', async (_what, values, expected) => {
    const { code, lines, output } = await start(values);
    expect(code).toBe(1);
    expect(lines.toSorted()).toEqual(expected);
    for (const value of Object.values(values)) expect(output).not.toContain(value);
  });

  it('refuses the first start without a password for the admin, and creates nobody', async () => {
    const { code, lines } = await start({ ADMIN_PASSWORD: undefined });
    expect([code, lines]).toEqual([
      1,
      [
        'ADMIN_PASSWORD must be set for the first start in production, when there is no user yet: 10 to 128 characters.',
      ],
    ]);
    expect(await database.query('SELECT 1 FROM users')).toEqual([]);
  });

  it('says that the database cannot be used without the password to it', async () => {
    const url = new URL(database.url);
    url.password = 'database-password-of-this-test';
    url.port = String(await freePort());
    const { code, lines, output } = await start({ DATABASE_URL: url.href });
    expect([code, lines.length]).toEqual([1, 1]);
    expect(lines[0]).toMatch(/^DATABASE_URL: the database cannot be used/);
    expect(output).not.toContain('database-password-of-this-test');
  });
});

describe('the built service', () => {
  // On an embedded database that must not even be installed for it.
  const embedded = () => ({
    NODE_ENV: undefined,
    DATABASE_URL: undefined,
    DATA_DIR: join(dataDir, 'unused'),
  });

  it.each([
    [
      'an address of another machine',
      { HOST: '192.0.2.1' },
      /^HOST: "192\.0\.2\.1" is no address of this machine/,
    ],
    [
      'a logo that is not there',
      { CHECKOUT_BRAND_LOGO: '/nowhere/logo.svg' },
      /^CHECKOUT_BRAND_LOGO cannot be read: ENOENT/,
    ],
    [
      'a logo that is no picture',
      { CHECKOUT_BRAND_LOGO: '/nowhere' },
      /^CHECKOUT_BRAND_LOGO must be a \.svg, \.png/,
    ],
    ['a folder for secrets', { DATA_DIR: '/proc/joma', JWT_SECRET: undefined }, /^DATA_DIR: .*\/proc\/joma/],
    [
      'a folder for the database',
      { DATA_DIR: '/proc/joma' },
      /^The folder \/proc\/joma.*Set DATA_DIR to another/,
    ],
  ])('names the variable of %s in one line, before it does anything', async (_what, values, line) => {
    const { code, lines, output } = await start({ ...embedded(), ...values });
    expect([code, lines], output).toEqual([1, [expect.stringMatching(line) as string]]);
    expect(output).not.toMatch(/Installing|Migrated/);
  });

  it('says which port is taken in one line', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { code, lines, output } = await start({ ...embedded(), PORT: String(port) });
    server.close();
    expect([code, lines], output).toEqual([
      1,
      [
        `PORT: another process listens on port ${port} already (listen EADDRINUSE: address already in use 127.0.0.1:${port}).`,
      ],
    ]);
  });
});
