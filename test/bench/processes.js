// The processes of a run, each on its own: what measures takes nothing from what is measured but the machine.
import { fork, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { EmbeddedPostgres } from '../../dist/src/platform/database/embedded-postgres/index.js';

const here = import.meta.dirname;
const READY_DEADLINE_MS = 60_000;
export const ADMIN = { email: 'admin@example.com', password: 'correct horse battery' };

export async function freePort() {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** PostgreSQL as it is run, writing to disk before it answers: `BENCH_DATABASE_URL`, else one of one's own. */
export async function startPostgres(settings = {}) {
  const given = process.env.BENCH_DATABASE_URL;
  if (given !== undefined) return { url: given, stop: async () => undefined };
  const folder = await mkdtemp(join(tmpdir(), 'joma-bench-'));
  const embedded = await EmbeddedPostgres.start({
    dataDir: join(folder, 'postgres'),
    settings: { max_connections: '200', ...settings },
  });
  const stop = async () => {
    await embedded.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { url: embedded.url, stop };
}

/** A new database on that server, and one connection to it. */
export async function createDatabase(serverUrl, name) {
  const server = new pg.Client({ connectionString: serverUrl });
  await server.connect();
  await server.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await server.query(`CREATE DATABASE ${name}`);
  await server.end();
  const address = new URL(serverUrl);
  address.pathname = `/${name}`;
  const client = new pg.Client({ connectionString: address.href });
  client.on('error', () => undefined);
  await client.connect();
  const query = async (text, values) => (await client.query(text, values)).rows;
  return { url: address.href, query, close: () => client.end() };
}

/** A child that is told a job at a time. */
export async function startHelper(file) {
  const child = fork(join(here, file));
  const [hello] = await once(child, 'message');
  const ask = async (job) => {
    const answered = once(child, 'message');
    child.send(job);
    const [{ result, error }] = await answered;
    if (error !== undefined) throw new Error(error);
    return result;
  };
  return { ask, port: hello.port, stop: () => child.disconnect() };
}

async function startServer(args, environment) {
  const port = await freePort();
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, ...environment, PORT: String(port) },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (output += chunk.toString()));
  return {
    origin: `http://127.0.0.1:${port}`,
    pid: child.pid,
    child,
    output: () => output,
    stop: async () => {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

export async function startFloor(databaseUrl) {
  const floor = await startServer([join(here, 'floor-server.js')], { DATABASE_URL: databaseUrl });
  await once(floor.child.stdout, 'data');
  return floor;
}

/** What `npm start` runs with: the options of its script, and `BENCH_NODE_OPTIONS`. */
function nodeOptions() {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const given = process.env.BENCH_NODE_OPTIONS?.split(' ') ?? [];
  return [...(scripts.start.match(/ --[a-z0-9=-]+/g) ?? []).map((option) => option.trim()), ...given];
}

/** What replicas of one database share. */
export function sharedSecrets() {
  const secret = () => randomBytes(32).toString('base64');
  return { ENCRYPTION_KEY: secret(), JWT_SECRET: secret() };
}

/** One replica, from the built output; answers how long it took to be ready, too. */
export async function startService(databaseUrl, environment = {}) {
  const startedAt = performance.now();
  const service = await startServer([...nodeOptions(), resolve('dist/src/main.js')], {
    DATABASE_URL: databaseUrl,
    ...sharedSecrets(),
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
    RATE_LIMIT_PUBLIC: 'off',
    RATE_LIMIT_LOGIN: 'off',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    FAST_PATHS: process.env.FAST_PATHS ?? 'on',
    ...environment,
  });
  for (;;) {
    const isReady = await fetch(`${service.origin}/health/ready`).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (isReady) break;
    if (service.child.exitCode !== null || performance.now() - startedAt > READY_DEADLINE_MS)
      throw new Error(`The service is not ready: ${service.output()}`);
    await new Promise((done) => setTimeout(done, 10));
  }
  return { ...service, readyMs: performance.now() - startedAt };
}

/** Resident memory of a process in bytes, or null where the system does not say. */
export function residentBytes(pid) {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return null;
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(file, 'utf8'))?.[1]) * 1_024;
}

const TICKS_PER_SECOND = 100;

/** Processor time of a process so far in milliseconds; 0 where the system does not say, and once it has ended. */
export function processorMs(pid) {
  return ticksOf(pid, [11, 12]);
}

/** The sum of fields of a process's `stat`, which count ticks, in milliseconds; 0 when it is there no longer. */
function ticksOf(pid, places) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return (places.reduce((sum, place) => sum + Number(fields[place]), 0) / TICKS_PER_SECOND) * 1_000;
  } catch {
    return 0;
  }
}

/** Processor time of the server that this connection belongs to: of all of its processes. */
export async function postgresMeter(query) {
  const [{ pid }] = await query('SELECT pg_backend_pid() AS pid');
  const parentOf = (child) => {
    try {
      return Number(
        readFileSync(`/proc/${child}/stat`, 'utf8')
          .replace(/^.*\) /, '')
          .split(' ')[1],
      );
    } catch {
      return null;
    }
  };
  const postmaster = parentOf(pid);
  return () => {
    if (postmaster === null) return 0;
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === postmaster);
    // What ended meanwhile counts with who started it.
    return pids.reduce((sum, child) => sum + processorMs(child), ticksOf(postmaster, [13, 14]));
  };
}
