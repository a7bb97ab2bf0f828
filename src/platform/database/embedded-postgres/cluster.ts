import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { EmbeddedPostgresError, readIfThere } from './owner-lock.js';
import type { PostgresRunner } from './postgres-runner.js';

/** How long the installation may take. */
const INSTALL_TIMEOUT_MS = 120_000;

/** The suffix of the cluster's folder, before some random letters, while it is being installed. */
const DRAFT_MARK = '.init';

/** The role that owns everything in the cluster. */
export const ROLE = 'joma';

/** Where the parts of the data folder are. */
export class ClusterPaths {
  readonly cluster: string;
  readonly password: string;
  readonly port: string;
  readonly log: string;
  readonly serverPid: string;

  constructor(readonly folder: string) {
    this.cluster = join(folder, 'cluster');
    this.password = join(folder, 'password');
    this.port = join(folder, 'port');
    this.log = join(folder, 'server.log');
    this.serverPid = join(this.cluster, 'postmaster.pid');
  }
}

/**
 * Makes a cluster with a random password. It gets its name only when it is complete, so that an installation that was
 * killed half-way is simply done again. Each has a folder of its own: the initdb of one that was killed may still be
 * running, and on its way out it removes what it finds in the folder that it was given.
 */
export async function installCluster(
  paths: ClusterPaths,
  runner: PostgresRunner,
  durable: boolean,
): Promise<void> {
  await removeDrafts(paths);
  const draft = await mkdtemp(`${paths.cluster}${DRAFT_MARK}`);
  await runner.giveToServer(draft);
  await rm(paths.password, { force: true });
  await writeDurably(paths.password, `${randomBytes(24).toString('base64url')}\n`, 0o600);
  await runner.giveToServer(paths.password);

  const words = ['-D', draft, `--username=${ROLE}`, `--pwfile=${paths.password}`, '--auth=scram-sha-256'];
  words.push('--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8');
  if (!durable) words.push('--no-sync');
  await runInitdb(runner, words);
  await rename(draft, paths.cluster);
  await syncFolder(paths.folder);
}

/** Removes installations that were killed half-way; what cannot be removed yet waits for the next start. */
export async function removeDrafts({ cluster, folder }: ClusterPaths): Promise<void> {
  const drafts = (await readdir(folder)).filter((name) =>
    name.startsWith(`${basename(cluster)}${DRAFT_MARK}`),
  );
  for (const name of drafts) {
    await rm(join(folder, name), { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
}

async function runInitdb(runner: PostgresRunner, words: string[]): Promise<void> {
  const initdb = runner.spawn('initdb', words, ['ignore', 'ignore', 'pipe']);
  let complaint = '';
  initdb.stderr
    ?.setEncoding('utf8')
    .on('data', (text: string) => (complaint = (complaint + text).slice(-4_000)));
  const limit = setTimeout(() => initdb.kill('SIGINT'), INSTALL_TIMEOUT_MS);
  try {
    const [code] = (await once(initdb, 'close')) as [number | null];
    if (code === 0) return;
    const reason = lastTelling(complaint) ?? 'it was stopped';
    throw new EmbeddedPostgresError(`The embedded database could not be installed: ${reason}`);
  } finally {
    clearTimeout(limit);
  }
}

/** Makes sure that a cluster from an earlier start is usable by the server that `runner` starts. */
export async function takeOverCluster(paths: ClusterPaths, runner: PostgresRunner): Promise<void> {
  const { uid } = await stat(paths.cluster);
  const own = process.getuid?.();
  if (own !== 0 && own !== uid) {
    throw new EmbeddedPostgresError(
      `The embedded database in ${paths.folder} belongs to another user (uid ${uid}).`,
    );
  }
  const version = ((await readIfThere(`${paths.cluster}/PG_VERSION`)) ?? 'an unknown version').trim();
  if (version !== runner.majorVersion) {
    throw new EmbeddedPostgresError(
      `The embedded database in ${paths.folder} was made by PostgreSQL ${version}, but PostgreSQL ` +
        `${runner.majorVersion} is installed. Move its content with pg_dump, or set another DATA_DIR.`,
    );
  }
  if (!existsSync(paths.password)) {
    throw new EmbeddedPostgresError(
      `The file ${paths.password} with the password of the embedded database is missing: put it back, or move ` +
        `${paths.folder} away to start with an empty database.`,
    );
  }
  await runner.giveToServer(paths.cluster);
  await runner.giveToServer(paths.password);
}

/** One start, one log; the one before is kept for the questions that come after a crash. */
export async function keepLastLog({ log }: ClusterPaths): Promise<void> {
  if (existsSync(log)) await rename(log, `${log}.1`);
}

/** The line that says most about a failure: the last fatal one, otherwise the last one at all. */
export function lastTelling(text: string): string | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const line = lines.findLast((candidate) => /FATAL|PANIC|error:/.test(candidate)) ?? lines.at(-1);
  return line?.replace(/^.*?(FATAL|PANIC|LOG|error): +/, '') ?? null;
}

async function writeDurably(path: string, text: string, mode: number): Promise<void> {
  const file = await open(path, 'w', mode);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
