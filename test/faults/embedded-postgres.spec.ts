import { type ChildProcessWithoutNullStreams, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { queryOnce } from '../support/query-once.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/*
 * Rules: contract 8.2, 8.5.
 *
 * Goal: the embedded database survives whatever happens to the service process, and leaves nothing running behind it.
 * Method: each service is a real child process (test/support/embedded-owner.js over the built output), which is
 * stopped, killed or interrupted; the database is looked at from outside, through its port, its files and the process
 * table.
 */

const MODULE = resolve('dist/src/platform/database/embedded-postgres/index.js');
const OWNER = resolve('test/support/embedded-owner.js');
const DEADLINE_MS = 30_000;
const NOBODY = 65_534;

const isRoot = process.getuid?.() === 0;
const isLinux = process.platform === 'linux';

interface OwnerEvent {
  progress?: string;
  url?: string;
  exit?: string;
  interrupted?: boolean;
  stopped?: boolean;
  error?: { name: string; message: string };
}

interface OwnerOptions {
  uid?: number;
  /** Commands that this machine is made to lack, e.g. `setpriv`. */
  without?: string[];
}

/** One service process with an embedded database. */
class Owner {
  private static readonly all: Owner[] = [];
  readonly events: OwnerEvent[] = [];
  private readonly exited: Promise<unknown>;

  private constructor(private readonly child: ChildProcessWithoutNullStreams) {
    this.exited = once(child, 'exit');
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.events.push(JSON.parse(line) as OwnerEvent);
    });
  }

  static async spawn(dataDir: string, { uid, without = [] }: OwnerOptions = {}): Promise<Owner> {
    const path = [...(await hideCommands(without)), process.env.PATH].join(delimiter);
    const child = spawn(process.execPath, [OWNER, MODULE, dataDir], {
      ...(uid === undefined ? {} : { uid, gid: uid }),
      env: { ...process.env, PATH: path },
      detached: true,
    });
    child.stderr.pipe(process.stderr);
    const owner = new Owner(child);
    Owner.all.push(owner);
    return owner;
  }

  /** Starts a service and waits until its database takes connections. */
  static async start(dataDir: string, options: OwnerOptions = {}): Promise<Owner> {
    const owner = await Owner.spawn(dataDir, options);
    const event = await owner.waitFor(
      (candidate) => candidate.url !== undefined || candidate.error !== undefined,
    );
    expect(event.error).toBeUndefined();
    return owner;
  }

  static async killAll(): Promise<void> {
    for (const owner of Owner.all.splice(0)) await owner.kill();
  }

  get pid(): number {
    return this.child.pid!;
  }

  get url(): string {
    return this.events.find((event) => event.url !== undefined)!.url!;
  }

  get progress(): string[] {
    return this.events.flatMap((event) => event.progress ?? []);
  }

  waitFor(matches: (event: OwnerEvent) => boolean): Promise<OwnerEvent> {
    return eventually(() => this.events.find(matches), 'an event of the service process');
  }

  async stop(): Promise<void> {
    this.child.stdin.write('stop\n');
    await this.waitFor((event) => event.stopped === true);
    await this.exited;
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  /** What the terminal does on Ctrl-C: SIGINT for the whole process group. */
  async pressControlC(): Promise<void> {
    process.kill(-this.pid, 'SIGINT');
    await this.waitFor((event) => event.interrupted === true);
  }
}

async function eventually<T>(look: () => T | Promise<T>, what: string): Promise<NonNullable<T>> {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`Waited ${DEADLINE_MS} ms in vain for ${what}`);
    await delay(10);
  }
}

async function hideCommands(names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const folder = await mkdtemp(join(root, 'without-'));
  await chmod(folder, 0o755);
  for (const name of names) {
    const script = `#!/bin/sh\necho "${name}: not permitted here" >&2\nexit 1\n`;
    await writeFile(join(folder, name), script, { mode: 0o755 });
  }
  return [folder];
}

async function serverPid(dataDir: string): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, 'cluster', 'postmaster.pid'), 'utf8'), 10);
}

/** Process ids and command lines; processes that are only waiting to be reaped have no command line. */
async function listProcesses(): Promise<{ pid: number; command: string }[]> {
  if (!isLinux) {
    const lines = execFileSync('ps', ['-axww', '-o', 'pid=,args='], { encoding: 'utf8' }).trim().split('\n');
    return lines.map((line) => ({
      pid: Number.parseInt(line, 10),
      command: line.trim().replace(/^\d+ /, ''),
    }));
  }
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return await Promise.all(
    pids.map(async (pid) => {
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return { pid: Number(pid), command: command.replaceAll('\0', ' ') };
    }),
  );
}

/** The process that installs the cluster, once it writes. */
function runningInitdb(dataDir: string, other?: number): Promise<number> {
  return eventually(async () => {
    for (const { pid, command } of await listProcesses()) {
      const [, draft] = /initdb -D (\S+)/.exec(command) ?? [];
      const isOfFolder = draft !== undefined && draft.startsWith(dataDir) && pid !== other;
      if (isOfFolder && existsSync(join(draft, 'PG_VERSION'))) return pid;
    }
    return null;
  }, 'the start of initdb');
}

/** Servers, installations and services that use the data folder, and watchdogs of its server. */
async function listLeftovers(dataDir: string, server: number): Promise<string[]> {
  const processes = await listProcesses();
  return processes
    .filter(({ pid, command }) => {
      const isWatchdog = command.includes('joma-watchdog') && command.trimEnd().endsWith(` ${server}`);
      return (
        pid === server || isWatchdog || command.includes(`${dataDir}/`) || command.includes(`${dataDir} `)
      );
    })
    .filter(({ command }) => command !== '')
    .map(({ command }) => command);
}

async function expectNothingLeft(dataDir: string, server: number): Promise<void> {
  await eventually(
    async () => (await listLeftovers(dataDir, server)).length === 0,
    `the end of every process of ${dataDir}`,
  );
}

/** Whether the user nobody can run Node and the built output from here; not so in a closed home folder. */
function nobodyCanRunThis(): boolean {
  const script = 'cat "$1" "$2" >/dev/null && "$3" --version';
  const words = ['-c', script, 'sh', MODULE, OWNER, process.execPath];
  return spawnSync('/bin/sh', words, { uid: NOBODY, gid: NOBODY, cwd: '/' }).status === 0;
}

let root: string;
let dataDir: string;

beforeEach(async () => {
  root = await mkdtemp(join(await realpath(tmpdir()), 'joma-embedded-'));
  await chmod(root, 0o755);
  dataDir = join(root, 'data', 'postgres');
});

afterEach(async () => {
  const server = existsSync(dataDir) ? await serverPid(dataDir).catch(() => 0) : 0;
  await Owner.killAll();
  await expectNothingLeft(dataDir, server).catch((error: unknown) => {
    process.kill(server, 'SIGQUIT');
    throw error;
  });
  await rm(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});

describe('the embedded database', () => {
  it('shows that it installs itself the first time, and keeps its data and address over a restart', async () => {
    const first = await Owner.start(dataDir);
    expect(first.progress.join('\n')).toMatch(/Installing the embedded database/);
    await queryOnce(first.url, 'CREATE TABLE kept (note text)');
    await queryOnce(first.url, `INSERT INTO kept VALUES ('টাকা')`);
    await first.stop();

    const second = await Owner.start(dataDir);
    expect(second.progress.join('\n')).not.toMatch(/Installing/);
    expect(second.url).toBe(first.url);
    expect(await queryOnce(second.url, 'SELECT note FROM kept')).toEqual([{ note: 'টাকা' }]);
    await second.stop();
  });

  it('is closed to other machines and other users', async () => {
    const owner = await Owner.start(dataDir);

    // Where the server has to run as another user, that user's group may pass through the folder.
    expect((await stat(dataDir)).mode & 0o067).toBe(0);
    expect((await stat(join(dataDir, 'password'))).mode & 0o077).toBe(0);
    expect((await stat(join(dataDir, 'cluster'))).mode & 0o077).toBe(0);
    const settings = await queryOnce<{ name: string; setting: string }>(
      owner.url,
      `SELECT name, setting FROM pg_settings WHERE name IN ('listen_addresses', 'unix_socket_directories',
        'password_encryption', 'server_encoding', 'TimeZone', 'fsync', 'synchronous_commit', 'full_page_writes')`,
    );
    expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      password_encryption: 'scram-sha-256',
      server_encoding: 'UTF8',
      TimeZone: 'UTC',
      fsync: 'on',
      synchronous_commit: 'on',
      full_page_writes: 'on',
    });
    const guessed = new URL(owner.url);
    guessed.password = 'guessed';
    await expect(queryOnce(guessed.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
    expect(await readFile(join(dataDir, 'server.log'), 'utf8')).not.toContain(new URL(owner.url).password);
    await owner.stop();
  });

  it('is gone when stop() has answered', async () => {
    const owner = await Owner.start(dataDir);
    const server = await serverPid(dataDir);

    await owner.stop();

    expect(await listLeftovers(dataDir, server)).toEqual([]);
    expect(owner.events.some((event) => event.exit !== undefined)).toBe(false);
  });

  it('takes another port when its own is taken', async () => {
    const first = await Owner.start(dataDir);
    await first.stop();
    const stranger = createServer().listen(Number(new URL(first.url).port), '127.0.0.1');
    await once(stranger, 'listening');

    const second = await Owner.start(dataDir);

    expect(new URL(second.url).port).not.toBe(new URL(first.url).port);
    expect(await queryOnce(second.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await second.stop();
    stranger.close();
    await once(stranger, 'close');
  });

  it('refuses a second service on the same folder, says by whom it is in use, and goes on', async () => {
    const first = await Owner.start(dataDir);

    const second = await Owner.spawn(dataDir);
    const { error } = await second.waitFor((event) => event.error !== undefined);

    expect(error?.name).toBe('EmbeddedPostgresError');
    expect(error?.message).toContain(`in use by another Joma process (pid ${first.pid})`);
    expect(error?.message).toMatch(/DATA_DIR.*DATABASE_URL/);
    expect(error?.message).not.toContain('\n');
    expect(await queryOnce(first.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await first.stop();
  });

  it('has exactly one winner when several services start at once after a kill', async () => {
    const killed = await Owner.start(dataDir);
    await killed.kill();

    const claimants = await Promise.all(Array.from({ length: 4 }, () => Owner.spawn(dataDir)));
    const outcomes = await Promise.all(
      claimants.map((owner) =>
        owner.waitFor((event) => event.url !== undefined || event.error !== undefined),
      ),
    );

    expect(outcomes.filter((event) => event.url !== undefined)).toHaveLength(1);
    for (const { error } of outcomes.filter((event) => event.error !== undefined)) {
      expect(error?.message).toContain('in use by another Joma process');
    }
  });

  it('keeps running on Ctrl-C, so that the service can finish first', async () => {
    const owner = await Owner.start(dataDir);

    await owner.pressControlC();

    // A server that had taken the signal too would cut this statement off.
    await queryOnce(owner.url, 'SELECT pg_sleep(0.3)');
    await owner.stop();
  });

  it('says so when the server itself ends', async () => {
    const owner = await Owner.start(dataDir);
    const server = await serverPid(dataDir);

    process.kill(server, 'SIGKILL');

    const { exit } = await owner.waitFor((event) => event.exit !== undefined);
    expect(exit).toMatch(/^The embedded database ended by itself \(SIGKILL\)/);
    await owner.stop();
    const again = await Owner.start(dataDir);
    expect(await queryOnce(again.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await again.stop();
  });
});

describe('after the service was killed', () => {
  it('leaves no process, and a restart works at once with everything committed', async () => {
    const owner = await Owner.start(dataDir);
    await queryOnce(owner.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    const server = await serverPid(dataDir);
    await owner.kill();

    const again = await Owner.start(dataDir);
    expect(await queryOnce(again.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    expect(await serverPid(dataDir)).not.toBe(server);
    const lastServer = await serverPid(dataDir);
    await again.kill();

    await expectNothingLeft(dataDir, lastServer);
  });

  it('repeats an installation that did not come to its end', async () => {
    await mkdir(join(dataDir, 'cluster.init', 'base'), { recursive: true });
    await writeFile(join(dataDir, 'cluster.init', 'PG_VERSION'), '1');
    await writeFile(join(dataDir, 'password'), 'of the installation that was killed');

    const owner = await Owner.start(dataDir);

    expect(owner.progress.join('\n')).toMatch(/Installing/);
    expect(await queryOnce(owner.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(existsSync(join(dataDir, 'cluster.init'))).toBe(false);
    await owner.stop();
  });

  it('survives a kill in the middle of the first installation', async () => {
    const killed = await Owner.spawn(dataDir);
    await runningInitdb(dataDir);
    await killed.kill();
    expect(existsSync(join(dataDir, 'cluster'))).toBe(false);

    const owner = await Owner.start(dataDir);

    expect(await queryOnce(owner.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await owner.stop();
  });

  it('lets the initdb of a service that was killed remove nothing of the next installation', async () => {
    // Without setpriv nobody tells initdb of the death.
    const killed = await Owner.spawn(dataDir, { without: ['setpriv'] });
    const abandoned = await runningInitdb(dataDir);
    process.kill(abandoned, 'SIGSTOP');
    await killed.kill();
    const owner = await Owner.spawn(dataDir);
    await runningInitdb(dataDir, abandoned);

    // Interrupted, it removes what is in the folder that it was given.
    process.kill(abandoned, 'SIGINT');
    process.kill(abandoned, 'SIGCONT');

    const { url } = await owner.waitFor((event) => event.url !== undefined || event.error !== undefined);
    expect(owner.events.find((event) => event.error !== undefined)).toBeUndefined();
    expect(await queryOnce(url!, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await owner.stop();
    const again = await Owner.start(dataDir);
    const remains = (await readdir(dataDir)).filter((name) => name.startsWith('cluster.'));
    expect(remains).toEqual([]);
    await again.stop();
  });

  it('is not held up by a stale pid file, even when its process id was given away again', async () => {
    const owner = await Owner.start(dataDir);
    const pidFile = join(dataDir, 'cluster', 'postmaster.pid');
    const content = await readFile(pidFile, 'utf8');
    await owner.stop();
    const bystander = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    await writeFile(pidFile, content.replace(/^\d+/, String(bystander.pid)));

    const again = await Owner.start(dataDir);

    expect(await queryOnce(again.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(bystander.exitCode).toBeNull();
    await again.stop();
    bystander.stdin.end();
    await once(bystander, 'exit');
  });

  it('is not held up by a lock whose process id was given away again', async () => {
    const owner = await Owner.start(dataDir);
    await owner.kill();
    const lock = (await readdir(dataDir)).find((name) => name.endsWith('.lock'))!;
    const holder = JSON.parse(await readFile(join(dataDir, lock), 'utf8')) as object;
    await writeFile(join(dataDir, lock), JSON.stringify({ ...holder, pid: process.pid }));

    const again = await Owner.start(dataDir);

    await again.stop();
  });

  it('waits for what is left of the old server', async () => {
    const owner = await Owner.start(dataDir);
    const client = new Client({ connectionString: owner.url, ssl: false });
    client.on('error', () => undefined);
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const backend = rows[0]!.pid;
    process.kill(backend, 'SIGSTOP');
    process.kill(await serverPid(dataDir), 'SIGKILL');
    await owner.kill();

    const again = await Owner.spawn(dataDir);
    try {
      await eventually(async () => {
        const log = await readFile(join(dataDir, 'server.log'), 'utf8').catch(() => '');
        return log.includes('is still in use');
      }, 'the refusal of the new server');
    } finally {
      process.kill(backend, 'SIGCONT');
    }

    const { error } = await again.waitFor((event) => event.url !== undefined || event.error !== undefined);
    expect(error).toBeUndefined();
    await again.stop();
  });

  it('ends the server by a watchdog where the kernel cannot do it', async () => {
    const owner = await Owner.start(dataDir, { without: ['setpriv'] });
    const server = await serverPid(dataDir);

    await owner.kill();
    await expectNothingLeft(dataDir, server);

    const again = await Owner.start(dataDir, { without: ['setpriv'] });
    const secondServer = await serverPid(dataDir);
    await again.stop();
    await expectNothingLeft(dataDir, secondServer);
  });

  it('replaces a server that nothing ended', async () => {
    const owner = await Owner.start(dataDir, { without: ['setpriv'] });
    const server = await serverPid(dataDir);
    const watchdog = (await listProcesses()).find(
      ({ command }) => command.includes('joma-watchdog') && command.trimEnd().endsWith(` ${server}`),
    )!;
    process.kill(watchdog.pid, 'SIGKILL');
    await owner.kill();
    expect(await queryOnce(owner.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);

    const again = await Owner.start(dataDir);

    expect(again.progress.join('\n')).toContain(`left behind (pid ${server})`);
    expect(await serverPid(dataDir)).not.toBe(server);
    expect(await queryOnce(again.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await again.stop();
    expect(await listLeftovers(dataDir, server)).toEqual([]);
  });
});

describe.runIf(isLinux && isRoot && nobodyCanRunThis())('as different users', () => {
  it('runs as an ordinary user, with the same guarantees', async () => {
    await mkdir(join(root, 'data'));
    await chown(join(root, 'data'), NOBODY, NOBODY);
    const owner = await Owner.start(dataDir, { uid: NOBODY });
    const server = await serverPid(dataDir);
    expect((await stat(`/proc/${server}`)).uid).toBe(NOBODY);

    await owner.kill();
    await expectNothingLeft(dataDir, server);

    const again = await Owner.start(dataDir, { uid: NOBODY });
    await again.stop();
  });

  it('runs as another user when root may not use a user namespace, with the same guarantees', async () => {
    const owner = await Owner.start(dataDir, { without: ['unshare'] });
    const server = await serverPid(dataDir);
    expect((await stat(`/proc/${server}`)).uid).not.toBe(0);
    expect((await stat(join(dataDir, 'cluster'))).mode & 0o077).toBe(0);
    await queryOnce(owner.url, 'CREATE TABLE kept AS SELECT 42 AS answer');

    await owner.kill();
    await expectNothingLeft(dataDir, server);

    // The cluster changes hands when another way to run it works later.
    for (const without of [[], ['unshare']]) {
      const again = await Owner.start(dataDir, { without });
      expect(await queryOnce(again.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
      await again.stop();
    }
  });

  it('says what failed when root finds no way at all', async () => {
    await mkdir(join(root, 'data'), { mode: 0o700 });

    const owner = await Owner.spawn(dataDir, { without: ['unshare'] });
    const { error } = await owner.waitFor((event) => event.error !== undefined);

    expect(error?.name).toBe('EmbeddedPostgresError');
    expect(error?.message).toMatch(/refuses to run as root/);
    expect(error?.message).toContain('unshare: not permitted here');
    expect(error?.message).toContain(`as the user nobody: cannot enter ${dataDir}`);
    expect(error?.message).toMatch(/DATA_DIR.*DATABASE_URL/);
  });
});
