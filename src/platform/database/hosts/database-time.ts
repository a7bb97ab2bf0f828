import { Client } from 'pg';
import { hostUrls } from '../../config/host-urls.js';
import type { Database } from '../database.js';
import { findPrimary } from './database-hosts.js';

const TIME = {
  name: 'database-time',
  text: 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS at',
};

/** Lends a way to ask for the primary's time, in milliseconds since 1970, one round trip each. */
export type TimeSource = (measure: (ask: () => Promise<number>) => Promise<void>) => Promise<void>;

/**
 * On Citus replicas may ask any node for everything else; the time is the coordinator's, to which
 * `DATABASE_DIRECT_URL` leads there (docs/growing.md).
 */
export function databaseTime(database: Database, directUrl: string | null): TimeSource {
  if (!database.isDistributed || directUrl === null)
    return (measure) => measure(async () => atOf(await database.query<{ at: number }>(TIME)));
  const urls = hostUrls(directUrl) ?? [directUrl];
  return async (measure) => onConnectionTo(await findPrimary(urls), measure);
}

/** A connection of its own, once a minute: a worker's clock is not to be asked. */
async function onConnectionTo(url: string, measure: Parameters<TimeSource>[0]): Promise<void> {
  const client = new Client({ connectionString: url, application_name: 'joma', query_timeout: 5_000 });
  // A connection that breaks says so by an event, too; unheard, it would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await measure(async () => atOf((await client.query<{ at: number }>(TIME.text)).rows));
  } finally {
    await client.end().catch(() => undefined);
  }
}

function atOf(rows: readonly { at: number }[]): number {
  const [row] = rows;
  if (row === undefined) throw new Error('the database does not say what time it is');
  return row.at;
}
