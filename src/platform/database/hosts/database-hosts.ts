import { Client } from 'pg';
import type { DataSource } from 'typeorm';

/**
 * How long one server may take to say whether it accepts writes; the second for one that did not say so the last
 * time.
 */
const PROBE_TIMEOUT_MS = 1_500;
const SILENT_PROBE_TIMEOUT_MS = 200;
/** Timers of Node may go off a little before their time. */
const TIMER_TOLERANCE_MS = 10;

/** No server of several accepts writes at the moment. `cause` is what the last one said. */
export class NoPrimaryError extends Error {
  /** The error code that Node gives a refused connection, so that this one counts as "away" like any other. */
  readonly code = 'ECONNREFUSED';
}

/** `host:port` of an address, for logs: it holds no password. */
export function hostOf(url: string): string {
  return new URL(url).host;
}

/** A server that accepts writes. */
export interface Writer {
  readonly url: string;
  /** Each promotion begins another timeline, so the server with the highest was promoted last. */
  readonly timeline: number;
}

/**
 * The address of the server that accepts writes.
 *
 * @throws NoPrimaryError when none does
 */
export async function findPrimary(urls: readonly string[]): Promise<string> {
  const [first] = urls;
  if (first === undefined) throw new Error('There is no database address.');
  return urls.length === 1 ? first : (await findWriter(urls)).url;
}

/**
 * Finds, of several servers that accept writes, the one that was promoted last: an old primary that came back without
 * knowing better must not be written to, also while the new one is away.
 *
 * @param leastTimeline the latest that has been seen
 * @param silent those that did not answer in time the last time, kept up to date here: while a machine is away that
 * says nothing at all, requests do not wait for its full time at each search
 * @throws NoPrimaryError when none does
 */
export async function findWriter(
  urls: readonly string[],
  leastTimeline = 0,
  silent = new Set<string>(),
): Promise<Writer> {
  const answers = await Promise.allSettled(urls.map((url) => askInTime(url, silent)));
  const writers = answers.flatMap((answer) =>
    answer.status === 'fulfilled' && answer.value !== null ? [answer.value] : [],
  );
  const [latest] = writers.sort((left, right) => right.timeline - left.timeline);
  if (latest !== undefined && latest.timeline >= leastTimeline) return latest;
  // Perhaps one of them is only slow: the next time everybody has all the time again.
  silent.clear();
  if (latest !== undefined)
    throw new NoPrimaryError(
      `${hostOf(latest.url)} accepts writes, but is an old primary: another was promoted after it (timeline ${leastTimeline}). ` +
        'To go back to it, restart the service',
    );
  const failure = answers.find((answer) => answer.status === 'rejected');
  throw new NoPrimaryError(`none of ${urls.map(hostOf).join(', ')} accepts writes`, {
    cause: failure?.reason,
  });
}

async function askInTime(url: string, silent: Set<string>): Promise<Writer | null> {
  const timeoutMs = silent.has(url) ? SILENT_PROBE_TIMEOUT_MS : PROBE_TIMEOUT_MS;
  const askedAt = performance.now();
  try {
    return await askWriter(url, timeoutMs);
  } finally {
    if (performance.now() - askedAt < timeoutMs - TIMER_TOLERANCE_MS) silent.delete(url);
    else silent.add(url);
  }
}

/** Null when the server answers, and accepts no writes. @throws when it does not answer in time */
async function askWriter(url: string, timeoutMs: number): Promise<Writer | null> {
  const client = new Client({
    connectionString: url,
    application_name: 'joma',
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  // A connection that breaks says so by an event, too; unheard, it would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ file: string | null }>(
      `SELECT CASE WHEN NOT pg_is_in_recovery() AND NOT current_setting('transaction_read_only')::boolean
         THEN pg_walfile_name(pg_current_wal_lsn()) END AS file`,
    );
    const file = rows[0]?.file ?? null;
    return file === null ? null : { url, timeline: timelineIn(file) };
  } finally {
    // Not waited for: a server that hangs does not say good-bye either.
    void client.end().catch(() => undefined);
  }
}

/** The timeline of a server that accepts writes. */
export async function timelineOf(source: DataSource): Promise<number> {
  const [row] = await source.query<{ file: string }[]>(
    'SELECT pg_walfile_name(pg_current_wal_lsn()) AS file',
  );
  return timelineIn(row?.file ?? '0');
}

/** The names of WAL files begin with it, in eight hexadecimal digits. */
const timelineIn = (file: string): number => Number.parseInt(file.slice(0, 8), 16);
