import { spawn, type ChildProcess } from 'node:child_process';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { lastTelling, type ClusterPaths } from './cluster.js';
import { EmbeddedPostgresError, isServerOf, readIfThere } from './owner-lock.js';
import type { PostgresRunner } from './postgres-runner.js';
import { tryAddress } from './try-address.js';

/** How long the remains of a killed server may stand in the way of the next one. */
const REMAINS_TIMEOUT_MS = 10_000;
/** How long a server may replay its journal before it answers. */
const RECOVERY_TIMEOUT_MS = 120_000;
/** How long a stopping server may take to finish what runs, before it is told to leave that to the next start. */
const FAST_SHUTDOWN_TIMEOUT_MS = 5_000;
const IMMEDIATE_SHUTDOWN_TIMEOUT_MS = 10_000;
const POLL_INTERVAL_MS = 20;

/** Stops a server that lost its service process, and makes sure that a stale pid file stands in nobody's way. */
export async function clearRemains(
  paths: ClusterPaths,
  onProgress: (message: string) => void,
): Promise<void> {
  const pid = await readServerPid(paths);
  if (pid !== null && isServerOf(pid, paths.cluster)) {
    onProgress(`Stopping the database server that a killed service left behind (pid ${pid})…`);
    await stopProcess(pid, () => !isServerOf(pid, paths.cluster));
  }
  const text = await readIfThere(paths.serverPid);
  if (text === null) return;
  // PostgreSQL refuses to start while any process has the id in this file, which may have been given away again. It
  // overlooks its parent, so the parent's id goes in; the other lines stay, because with them it recognises remains
  // of the old server that still use its memory.
  if (/^-?\d+\n/.test(text)) await writeFile(paths.serverPid, text.replace(/^-?\d+/, String(process.pid)));
  else await rm(paths.serverPid, { force: true });
}

async function readServerPid(paths: ClusterPaths): Promise<number | null> {
  const pid = Number.parseInt((await readIfThere(paths.serverPid)) ?? '', 10);
  return pid > 0 ? pid : null;
}

async function stopProcess(pid: number, isGone: () => boolean): Promise<void> {
  try {
    for (const [signal, limitMs] of [
      ['SIGINT', FAST_SHUTDOWN_TIMEOUT_MS],
      ['SIGQUIT', IMMEDIATE_SHUTDOWN_TIMEOUT_MS],
    ] as const) {
      process.kill(pid, signal);
      const deadline = Date.now() + limitMs;
      while (Date.now() < deadline) {
        if (isGone()) return;
        await delay(POLL_INTERVAL_MS);
      }
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return;
    throw new EmbeddedPostgresError(
      `The database server with pid ${pid} cannot be stopped: ${(error as Error).message}.`,
    );
  }
  throw new EmbeddedPostgresError(
    `The database server with pid ${pid} does not stop. End it, then start again.`,
  );
}

export interface LaunchOptions {
  readonly durable: boolean;
  readonly settings: Record<string, string>;
  readonly onProgress: (message: string) => void;
}

/** A running server of one cluster. */
export class ServerProcess {
  private stopping: Promise<void> | null = null;
  private watchdog: ChildProcess | null = null;
  /** Settles when the server is gone; says how it ended. */
  readonly ended: Promise<string>;
  private hasEnded = false;

  private constructor(
    private readonly child: ChildProcess,
    private readonly paths: ClusterPaths,
    readonly port: number,
  ) {
    this.ended = new Promise((resolve) => {
      const end = (how: string): void => {
        this.hasEnded = true;
        this.watchdog?.stdin?.end('ended\n');
        resolve(how);
      };
      child.once('error', (error) => end(error.message));
      child.once('exit', (code, signal) => end(signal ?? `exit code ${code}`));
    });
  }

  /** Starts the server and waits until it answers, which includes the recovery after a crash. */
  static async launch(
    paths: ClusterPaths,
    runner: PostgresRunner,
    options: LaunchOptions,
  ): Promise<ServerProcess> {
    const remainsDeadline = Date.now() + REMAINS_TIMEOUT_MS;
    let port = await choosePort(Number((await readIfThere(paths.port)) ?? 0));
    let portAttempts = 1;
    for (;;) {
      const server = await ServerProcess.spawn(paths, runner, port, options);
      if (await server.waitUntilReady(options.onProgress)) {
        await replaceFile(paths.port, `${port}\n`);
        return server;
      }
      const recent = await readLatestLog(paths);
      if (/could not create any TCP\/IP sockets/.test(recent) && portAttempts < 5) {
        portAttempts += 1;
        port = await choosePort(0);
      } else if (/is still in use|already exists/.test(recent) && Date.now() < remainsDeadline) {
        await delay(POLL_INTERVAL_MS * 5);
        await clearRemains(paths, options.onProgress);
      } else {
        const reason = lastTelling(recent) ?? (await server.ended);
        throw new EmbeddedPostgresError(`The embedded database did not start: ${reason} (see ${paths.log})`);
      }
    }
  }

  private static async spawn(
    paths: ClusterPaths,
    runner: PostgresRunner,
    port: number,
    options: LaunchOptions,
  ): Promise<ServerProcess> {
    const log = await open(paths.log, 'a', 0o600);
    try {
      await log.write(LAUNCH_MARK);
      const words = ['-D', paths.cluster, ...serverSettings(port, options)];
      const child = runner.spawn('postgres', words, ['ignore', log.fd, log.fd]);
      child.unref();
      const server = new ServerProcess(child, paths, port);
      if (!runner.endsWithParent && child.pid !== undefined) server.watchdog = startWatchdog(child.pid);
      return server;
    } finally {
      await log.close();
    }
  }

  /** Fast shutdown: open transactions are rolled back, everything committed is on disk. Safe to call twice. */
  stop(): Promise<void> {
    this.stopping ??= this.hasEnded ? Promise.resolve() : stopProcess(this.child.pid!, () => this.hasEnded);
    return this.stopping;
  }

  /** The most telling line of the log, for when the server ended by itself. */
  async lastWords(): Promise<string> {
    return lastTelling(await readLatestLog(this.paths)) ?? 'its log is empty';
  }

  /** False when the server ended instead. */
  private async waitUntilReady(onProgress: (message: string) => void): Promise<boolean> {
    const startedAt = Date.now();
    let isToldAt = startedAt;
    while (!this.hasEnded) {
      const lines = ((await readIfThere(this.paths.serverPid)) ?? '').split('\n');
      if (lines[0] === String(this.child.pid) && lines[7]?.trim() === 'ready') return true;
      if (Date.now() - startedAt > RECOVERY_TIMEOUT_MS) {
        await this.stop();
        throw new EmbeddedPostgresError(
          `The embedded database was not ready after ${RECOVERY_TIMEOUT_MS / 1_000} s (see ${this.paths.log})`,
        );
      }
      if (Date.now() - isToldAt > 5_000) {
        isToldAt = Date.now();
        onProgress('The embedded database is still recovering…');
      }
      await delay(POLL_INTERVAL_MS);
    }
    return false;
  }
}

/** Parts the tries of one service start in the log, so that only the last one is searched for its error. */
const LAUNCH_MARK = '--- starting the embedded database ---\n';

async function readLatestLog({ log }: ClusterPaths): Promise<string> {
  const text = (await readIfThere(log)) ?? '';
  return text.slice(text.lastIndexOf(LAUNCH_MARK)).replace(LAUNCH_MARK, '');
}

function serverSettings(port: number, { durable, settings }: LaunchOptions): string[] {
  const chosen: Record<string, string> = {
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Failed statements and their details hold personal data; the service reports its own errors.
    log_min_messages: 'log',
    log_error_verbosity: 'terse',
    log_checkpoints: 'off',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    ...settings,
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
  };
  return Object.entries(chosen).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Ends the server when this process does, where the kernel cannot be asked for that: its input then ends. */
function startWatchdog(serverPid: number): ChildProcess {
  const words = ['-c', 'read -r word || kill -INT "$1"', 'joma-watchdog', String(serverPid)];
  const watchdog = spawn('/bin/sh', words, { cwd: '/', detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  watchdog.on('error', () => undefined);
  watchdog.stdin.on('error', () => undefined);
  watchdog.unref();
  (watchdog.stdin as unknown as { unref(): void }).unref();
  return watchdog;
}

/** The preferred port of 127.0.0.1 when it is free, otherwise one that the system chooses. */
async function choosePort(preferred: number): Promise<number> {
  try {
    return await tryAddress(preferred, '127.0.0.1');
  } catch (error) {
    if (preferred === 0) throw error;
    return await choosePort(0);
  }
}

/** Replaces the name, so that it also works where the old file belongs to somebody else. */
async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o644 });
  await rename(`${path}.new`, path);
}
