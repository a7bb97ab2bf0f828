import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/*
 * Rules: none: what a start reads is a cost.
 *
 * Goal: a start reads nothing that only few requests need; each such library is a few hundredths of a second of every
 * start. Method: the built program's modules are read as `main.js` reads them, and V8's own list of scripts tells
 * which those were.
 */

/** By what each is needed. */
const NOT_AT_THE_START = [
  ['Swagger UI', '/swagger-ui-dist/'],
  ['the first webhook', '/undici/'],
  ['an upload as a form', '/@fastify/busboy/'],
  ["a wallet's statement", '/csv-parse/'],
  ["a day's spreadsheet", '/hucre/'],
  ['mail', '/nodemailer/'],
  ["companies' tokens", '/jose/'],
  ['the picture of a QR code', '/zxing-wasm/'],
] as const;

const folder = mkdtempSync(join(tmpdir(), 'joma-start-reads-'));
let read: string[];

beforeAll(() => {
  const main = JSON.stringify(resolve('dist/src/main.js'));
  const reading = `import { createRequire } from 'node:module'; createRequire(${main})('./tools/service.js')`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', reading], {
    env: { PATH: process.env['PATH'], NODE_V8_COVERAGE: folder },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  read = readdirSync(folder).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { result: { url: string }[] };
    return result.map(({ url }) => url);
  });
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true }));

describe('A start', () => {
  it('reads the program, with all of its features', () => {
    const url = pathToFileURL(resolve('dist/src')).href;
    expect(read).toContain(`${url}/app.module.js`);
    expect(read).toContain(`${url}/notifications/sending/webhook-sender.js`);
    expect(read.some((one) => one.includes('/node_modules/pg/'))).toBe(true);
  });

  it.each(NOT_AT_THE_START)('does not read what %s needs: %s', (_need, place) => {
    expect(read.filter((url) => url.includes(`/node_modules${place}`))).toEqual([]);
  });
});
