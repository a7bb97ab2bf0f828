import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { eventually } from './eventually.js';
import { HttpClient } from './http-client.js';
import { ADMIN_EMAIL, ADMIN_PASSWORD } from './test-app.js';

/** A replica as it is run: a process of its own, from the built output. */
export interface BuiltService {
  readonly http: HttpClient;
  readonly process: ChildProcess;
  /** Everything it has printed. */
  readonly output: () => string;
  /** Resolves when it has ended, to its exit code; null when a signal killed it. */
  readonly exited: Promise<number | null>;
  /** Sends a signal and answers the exit code, or null when the signal killed it. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** A start takes two seconds of a processor; several at once on a busy machine take long. */
const START_DEADLINE_MS = 60_000;

export const SHARED_SECRETS = {
  ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  JWT_SECRET: randomBytes(32).toString('base64'),
};

export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** What `npm start` gives to Node: the young and the old generation grow as there. */
function nodeOptions(): string[] {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } };
  return (scripts.start.match(/ --[a-z0-9=-]+/g) ?? []).map((option) => option.trim());
}

/** Starts what `npm start` starts, `node dist/src/main.js`, and waits until it is ready; `npm test` has built it. */
export async function startBuiltService(environment: Record<string, string>): Promise<BuiltService> {
  const port = await freePort();
  const child = spawn(process.execPath, [...nodeOptions(), resolve('dist/src/main.js')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      ...SHARED_SECRETS,
      PORT: String(port),
      ADMIN_EMAIL,
      ADMIN_PASSWORD,
      RATE_LIMIT_PUBLIC: 'off',
      RATE_LIMIT_LOGIN: 'off',
      ...environment,
    },
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exited = new Promise<number | null>((done) => child.once('exit', done));
  const http = new HttpClient(`http://127.0.0.1:${port}`);
  const isReady = async () => {
    if (child.exitCode !== null) throw new Error(`The service ended with ${child.exitCode}: ${output}`);
    return http.get('/health/ready').then(
      ({ status }) => status === 200,
      () => false,
    );
  };
  await eventually(isReady, Boolean, 'a ready service', START_DEADLINE_MS);
  return {
    http,
    process: child,
    output: () => output,
    exited,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      return exited;
    },
  };
}
