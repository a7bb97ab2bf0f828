import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './built-service.js';
import { eventually } from './eventually.js';
import { systemProgram } from './programs.js';

/** Server connections for each database: fewer than the services hold, so that they have to share. */
const POOL_SIZE = 8;

export interface PgBouncer {
  /** `host:port`, for `TEST_POOLER`. */
  readonly address: string;
  readonly output: () => string;
  close(): Promise<void>;
}

/**
 * PgBouncer of the system in transaction mode, with Debian's settings otherwise, in front of every database of a
 * server.
 */
export async function startPgBouncer(serverUrl: string): Promise<PgBouncer> {
  const program = systemProgram('pgbouncer', 'pgbouncer');
  const server = new URL(serverUrl);
  const folder = await mkdtemp(join(tmpdir(), 'joma-pgbouncer-'));
  const port = await freePort();
  const users = join(folder, 'users.txt');
  await writeFile(
    users,
    `"${decodeURIComponent(server.username)}" "${decodeURIComponent(server.password)}"\n`,
  );
  const settings = join(folder, 'pgbouncer.ini');
  await writeFile(
    settings,
    [
      '[databases]',
      `* = host=${server.hostname} port=${server.port}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = scram-sha-256',
      `auth_file = ${users}`,
      'pool_mode = transaction',
      `default_pool_size = ${POOL_SIZE}`,
      'max_client_conn = 500',
    ].join('\n'),
  );
  // It refuses to run as root, and reads these as whoever it becomes.
  await chmod(folder, 0o755);
  const isRoot = process.getuid?.() === 0;
  const child = spawn(program, [...(isRoot ? ['-u', 'nobody'] : []), settings], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  const exited = once(child, 'exit');
  await eventually(
    () => {
      if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}: ${output}`);
      return output;
    },
    (text) => text.includes('process up'),
    'a PgBouncer that is up',
  );
  return {
    address: `127.0.0.1:${port}`,
    output: () => output,
    close: async () => {
      child.kill('SIGINT');
      // It waits for its clients; the second signal does not.
      child.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
