import { existsSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Client } from 'pg';
import { makeFolder } from '../../config/make-folder.js';
import { ClusterPaths, installCluster, keepLastLog, removeDrafts, ROLE, takeOverCluster } from './cluster.js';
import { EmbeddedPostgresError, OwnerLock } from './owner-lock.js';
import { PostgresRunner } from './postgres-runner.js';
import { clearRemains, ServerProcess } from './server-process.js';

const DATABASE = 'joma';
/** SQLSTATE of a database that does not exist. */
const INVALID_CATALOG_NAME = '3D000';

export interface EmbeddedPostgresOptions {
  /** Folder that holds the cluster, e.g. `.joma/postgres`. Created with mode 0700. */
  dataDir: string;
  /** One line of progress for a user ("Installing the embedded database…"). */
  onProgress?: (message: string) => void;
  /** Called once when the server ends although nobody called `stop()`. Connections are broken by then. */
  onExit?: (message: string) => void;
  /** False only for tests: fsync, synchronous_commit and full_page_writes are off. Default true. */
  durable?: boolean;
  /** Extra server settings, e.g. `{ max_connections: '200' }`. Where it listens cannot be changed. */
  settings?: Record<string, string>;
}

/**
 * A real PostgreSQL that belongs to this process (contract 8.2): used when there is no `DATABASE_URL`.
 *
 * It listens on 127.0.0.1 only, with a random password kept in the data folder. It ends with this process, however that
 * ends, and nothing that an earlier process left behind (a running server, a stale pid file, half an installation)
 * keeps a new start from succeeding. It keeps running on Ctrl-C, so that the service can finish before it calls
 * `stop()`. A data folder must not be shared by several machines or containers.
 */
export class EmbeddedPostgres {
  private stopped: Promise<void> | null = null;

  private constructor(
    /** `postgres://…` on 127.0.0.1, naming the database `joma`. Holds the password: not for logs. */
    readonly url: string,
    private readonly server: ServerProcess,
    private readonly lock: OwnerLock,
    onExit: (message: string) => void,
  ) {
    void server.ended.then(async (how) => {
      if (this.stopped !== null) return;
      onExit(`The embedded database ended by itself (${how}): ${await server.lastWords()}`);
    });
  }

  /**
   * Installs the cluster when there is none, starts the server and waits until it takes connections. Throws an
   * EmbeddedPostgresError with one line a user can act on, also when another process uses the same folder. Must be
   * called on the main thread.
   */
  static async start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    return await withReadableErrors(options.dataDir, async () => {
      const paths = new ClusterPaths(await prepareFolder(options.dataDir));
      const lock = await OwnerLock.acquire(paths.folder);
      try {
        return await EmbeddedPostgres.startLocked(options, paths, lock);
      } catch (error) {
        await lock.release().catch(() => undefined);
        throw error;
      }
    });
  }

  private static async startLocked(
    options: EmbeddedPostgresOptions,
    paths: ClusterPaths,
    lock: OwnerLock,
  ): Promise<EmbeddedPostgres> {
    const { onProgress = () => undefined, durable = true, settings = {} } = options;
    await clearRemains(paths, onProgress);
    const runner = await PostgresRunner.choose(paths.folder);
    if (existsSync(paths.cluster)) {
      await removeDrafts(paths);
      await takeOverCluster(paths, runner);
    } else {
      onProgress('Installing the embedded database (only the first time)…');
      await installCluster(paths, runner, durable);
    }
    await keepLastLog(paths);
    onProgress('Starting the embedded database…');
    const server = await ServerProcess.launch(paths, runner, { durable, settings, onProgress });
    try {
      const url = await ensureDatabase(paths, server.port);
      return new EmbeddedPostgres(url, server, lock, options.onExit ?? (() => undefined));
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  /**
   * Stops the server and waits until it is gone: what is committed is on disk, open transactions are rolled back.
   * Safe to call twice, and after the server ended by itself.
   */
  stop(): Promise<void> {
    this.stopped ??= this.server.stop().then(() => this.lock.release());
    return this.stopped;
  }
}

async function prepareFolder(dataDir: string): Promise<string> {
  const folder = resolve(dataDir);
  makeFolder(folder, 0o700);
  return await realpath(folder);
}

/** A folder that is not ours to use is the operator's mistake, not a defect: say where and why instead of a stack. */
async function withReadableErrors<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOSPC', 'ENOTDIR', 'EEXIST'].includes(code ?? ''))
      throw error;
    throw new EmbeddedPostgresError(
      `The folder ${folder} cannot hold the embedded database (${message}). Set DATA_DIR to another folder.`,
      { cause: error },
    );
  }
}

async function ensureDatabase(paths: ClusterPaths, port: number): Promise<string> {
  const password = (await readFile(paths.password, 'utf8')).trim();
  const urlOf = (database: string): string => `postgres://${ROLE}:${password}@127.0.0.1:${port}/${database}`;
  try {
    await query(urlOf(DATABASE), 'SELECT 1').catch(async (error: { code?: string }) => {
      if (error.code !== INVALID_CATALOG_NAME) throw error;
      await query(urlOf('postgres'), `CREATE DATABASE ${DATABASE}`);
    });
    return urlOf(DATABASE);
  } catch (error) {
    throw new EmbeddedPostgresError(
      `The embedded database in ${paths.folder} runs but does not let Joma in: ${(error as Error).message}.`,
      { cause: error },
    );
  }
}

async function query(connectionString: string, statement: string): Promise<void> {
  const client = new Client({ connectionString, ssl: false });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
