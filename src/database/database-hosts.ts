import { Client } from 'pg';

/** How long one server may take to say whether it accepts writes. */
const PROBE_TIMEOUT_MS = 1_500;

/** No server of several accepts writes at the moment. `cause` is what the last one said. */
export class NoPrimaryError extends Error {
  /** What Node says of a connection that was refused, so that it counts as "away" like any other. */
  readonly code = 'ECONNREFUSED';
}

/** `host:port` of an address, for logs: it holds no password. */
export function hostOf(url: string): string {
  return new URL(url).host;
}

interface Writer {
  readonly url: string;
  /** Each promotion begins another timeline, so the server with the highest was promoted last. */
  readonly timeline: number;
}

/**
 * The address of the server that accepts writes. Of several the one that was promoted last: an old primary that came back
 * without knowing better must not be written to.
 *
 * @throws NoPrimaryError when none does
 */
export async function findPrimary(urls: readonly string[]): Promise<string> {
  const [first] = urls;
  if (first === undefined) throw new Error('There is no database address.');
  if (urls.length === 1) return first;
  const answers = await Promise.allSettled(urls.map(askWriter));
  const writers = answers.flatMap((answer) =>
    answer.status === 'fulfilled' && answer.value !== null ? [answer.value] : [],
  );
  const [latest] = writers.sort((left, right) => right.timeline - left.timeline);
  if (latest !== undefined) return latest.url;
  const failure = answers.find((answer) => answer.status === 'rejected');
  throw new NoPrimaryError(`none of ${urls.map(hostOf).join(', ')} accepts writes`, {
    cause: failure?.reason,
  });
}

/** Null when the server answers, and accepts no writes. @throws when it does not answer in time */
async function askWriter(url: string): Promise<Writer | null> {
  const client = new Client({
    connectionString: url,
    application_name: 'joma',
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
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
    return file === null ? null : { url, timeline: Number.parseInt(file.slice(0, 8), 16) };
  } finally {
    // Not waited for: a server that hangs does not say good-bye either.
    void client.end().catch(() => undefined);
  }
}
