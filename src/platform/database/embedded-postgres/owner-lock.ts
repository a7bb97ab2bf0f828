import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { link, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Why the embedded database cannot be used, in one line a user can act on. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

/** The text of a file, or null when there is none. */
export async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * The mark that tells a running process from every other that had or will have the same id: the moment it started. Null
 * when there is no such process or only its zombie is left.
 */
export function processIdentity(pid: number): string | null {
  try {
    if (process.platform !== 'linux') return askPs(pid, 'lstart=');
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in parentheses and may itself hold spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}:${fields[19]}`;
  } catch {
    return null;
  }
}

/** Whether the process is a PostgreSQL server of this cluster, by its command line or its working directory. */
export function isServerOf(pid: number, cluster: string): boolean {
  if (processIdentity(pid) === null) return false;
  try {
    if (process.platform !== 'linux') return `${askPs(pid, 'args=')} `.includes(` -D ${cluster} `);
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    if (words[words.indexOf('-D') + 1] === cluster) return true;
    return realpathSync(`/proc/${pid}/cwd`) === cluster;
  } catch {
    return false;
  }
}

function askPs(pid: number, column: string): string | null {
  const answer = execFileSync('ps', ['-ww', '-o', column, '-p', String(pid)], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return answer.trim() || null;
}

interface Holder {
  pid: number;
  identity: string | null;
  released: boolean;
}

/**
 * Says which Joma process a data directory belongs to, and ends with that process however it ends.
 *
 * Each holder writes `owner.<generation>.lock` with the next free number, complete from its first instant because it
 * is linked into place, and exactly one claimant can link a number. The newest file is never deleted, only superseded,
 * so a claimant that was slow to judge a dead holder cannot take a lock away from a living one.
 *
 * It does not protect a folder that several machines or containers share: their process ids mean nothing to each other.
 */
export class OwnerLock {
  private constructor(
    private readonly folder: string,
    private readonly generation: number,
  ) {}

  /** Throws an EmbeddedPostgresError when a living process holds the lock. */
  static async acquire(folder: string): Promise<OwnerLock> {
    for (let attempt = 0; attempt < 50; attempt += 1) {
      const newest = await newestGeneration(folder);
      if (newest > 0) {
        const text = await readIfThere(lockFile(folder, newest));
        if (text === null) continue;
        refuseIfHeld(folder, JSON.parse(text) as Holder);
      }
      const lock = new OwnerLock(folder, newest + 1);
      if (await lock.claim()) return lock;
    }
    throw new EmbeddedPostgresError(
      `Too many processes want ${folder} at once. Start one Joma process only.`,
    );
  }

  /** Lets the next process in; without it the lock ends with this process. */
  async release(): Promise<void> {
    try {
      await rename(await this.draft(true), lockFile(this.folder, this.generation));
    } catch (error) {
      // Somebody removed the whole folder, and the lock with it.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }

  private async claim(): Promise<boolean> {
    const draft = await this.draft(false);
    const own = lockFile(this.folder, this.generation);
    try {
      await link(draft, own);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    } finally {
      await rm(draft, { force: true });
    }
    // The number may have been free only because its holder was superseded meanwhile.
    if ((await newestGeneration(this.folder)) !== this.generation) {
      await rm(own, { force: true });
      return false;
    }
    for (const name of await readdir(this.folder)) {
      const generation = generationOf(name);
      const isOlder = generation !== null && generation < this.generation;
      if (isOlder || isAbandonedDraft(name)) await rm(join(this.folder, name), { force: true });
    }
    return true;
  }

  private async draft(released: boolean): Promise<string> {
    const path = join(this.folder, `owner.${process.pid}.${randomUUID()}.draft`);
    const holder: Holder = { pid: process.pid, identity: processIdentity(process.pid), released };
    await writeFile(path, JSON.stringify(holder), { mode: 0o644 });
    return path;
  }
}

function refuseIfHeld(folder: string, holder: Holder): void {
  if (holder.released || holder.identity === null) return;
  if (processIdentity(holder.pid) !== holder.identity) return;
  throw new EmbeddedPostgresError(
    `The embedded database in ${folder} is in use by another Joma process (pid ${holder.pid}). ` +
      'Stop it first, or set another DATA_DIR, or set DATABASE_URL to a server that both may use.',
  );
}

function lockFile(folder: string, generation: number): string {
  return join(folder, `owner.${generation}.lock`);
}

function generationOf(name: string): number | null {
  const match = /^owner\.(\d+)\.lock$/.exec(name);
  return match ? Number(match[1]) : null;
}

function isAbandonedDraft(name: string): boolean {
  const match = /^owner\.(\d+)\..+\.draft$/.exec(name);
  return match !== null && processIdentity(Number(match[1])) === null;
}

async function newestGeneration(folder: string): Promise<number> {
  const generations = (await readdir(folder)).map((name) => generationOf(name) ?? 0);
  return Math.max(0, ...generations);
}
