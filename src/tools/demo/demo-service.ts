import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const POLL_INTERVAL_MS = 50;
/** A service that is told to stop does so within ten seconds; a little later it is made to. */
const STOP_TIMEOUT_MS = 12_000;
/** Characters that are shown of the last output of a service that failed. */
const SHOWN_CHARACTERS = 2_000;

/** The service the demo talks to. */
export interface DemoService {
  readonly url: string;
  /** Names the phone's path, `/api/webhooks/<name>`. */
  readonly name: string;
  readonly adminEmail: string;
  readonly adminPassword: string;
  /** Resolves when it answers; fails when it ends instead. */
  ready(): Promise<void>;
  /** Stops what was started, and removes what it kept. */
  stop(): Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A service that runs already, on this machine: the merchant of the demo listens on loopback. */
export function serviceAt(jomaUrl: string, environment: Environment): DemoService {
  if (!URL.canParse(jomaUrl)) throw new Error('JOMA_URL must be an address such as http://localhost:3000');
  const { ADMIN_PASSWORD: adminPassword } = environment;
  if (!adminPassword)
    throw new Error('JOMA_URL needs ADMIN_PASSWORD, and ADMIN_EMAIL if it is not the default');
  const url = jomaUrl.replace(/\/+$/, '');
  return {
    url,
    name: environment['SERVICE_NAME'] || 'joma',
    adminEmail: environment['ADMIN_EMAIL'] || 'admin@joma.local',
    adminPassword,
    ready: async () => {
      const isReady = await answersReady(url);
      if (!isReady) throw new Error(`${url}/health/ready does not answer 200; is the service running there?`);
    },
    stop: async () => undefined,
  };
}

/** The built service as a process of its own, with an empty embedded database in a temporary folder. */
export async function startOwnService(settings: Environment = {}): Promise<DemoService> {
  const folder = await mkdtemp(join(tmpdir(), 'joma-demo-'));
  const url = `http://127.0.0.1:${await freePort()}`;
  const adminEmail = 'admin@joma.local';
  const adminPassword = randomBytes(18).toString('base64url');
  const child = spawn(process.execPath, [fileURLToPath(new URL('../../main.js', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Nothing of this shell's own settings: a DATABASE_URL in it names a database that is no place for a demo.
    env: {
      PATH: process.env['PATH'],
      PORT: new URL(url).port,
      PUBLIC_URL: url,
      DATA_DIR: folder,
      ADMIN_EMAIL: adminEmail,
      ADMIN_PASSWORD: adminPassword,
      LOG_LEVEL: 'warn',
      ...settings,
    },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (printed = (printed + chunk.toString()).slice(-SHOWN_CHARACTERS)));
  }
  return {
    url,
    name: 'joma',
    adminEmail,
    adminPassword,
    ready: async () => {
      while (!(await answersReady(url))) {
        if (hasEnded(child)) throw new Error(`the service ended before it was ready:\n${printed}`);
        await wait(POLL_INTERVAL_MS);
      }
    },
    stop: async () => {
      await end(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function answersReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false;
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const enforced = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(enforced);
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
