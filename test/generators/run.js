/*
 * `npm run test:generators`: clients that common generators make of test/openapi.json, at their defaults, compile with
 * the README's five requests. The generators are installed from the npm registry into a folder of their own, as nothing
 * else here depends on them.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'joma-generators-'));

/** @type {readonly (readonly [what: string, command: string, ...arguments_: string[]])[]} */
const STEPS = [
  ['install', 'npm', 'ci', '--no-audit', '--no-fund', '--loglevel=error'],
  [
    'openapi-typescript',
    'npx',
    'openapi-typescript',
    'openapi.json',
    '-o',
    'generated/openapi-typescript/schema.d.ts',
  ],
  ['hey-api', 'npx', 'openapi-ts', '-i', 'openapi.json', '-o', 'generated/hey-api'],
  ['orval, with zod', 'npx', 'orval'],
  [
    'swagger-typescript-api',
    ...['npx', 'swagger-typescript-api', 'generate', '-p', 'openapi.json'],
    ...['-o', 'generated/swagger-typescript-api', '-n', 'api.ts'],
  ],
  ['the README’s requests compile', 'npx', 'tsc', '-p', '.'],
];

try {
  cpSync(here, folder, { recursive: true });
  cpSync(join(here, '../openapi.json'), join(folder, 'openapi.json'));
  for (const [what, command, ...rest] of STEPS) {
    process.stdout.write(`${what} … `);
    try {
      execFileSync(command, rest, { cwd: folder, stdio: 'pipe', timeout: 300_000 });
      process.stdout.write('good\n');
    } catch (error) {
      process.stdout.write('failed\n');
      process.stdout.write(`${error.stdout ?? ''}${error.stderr ?? ''}${error.message}\n`);
      process.exitCode = 1;
      break;
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
