import { loadConfiguration } from '../app.module.js';
import { withConfiguredDatabase } from '../platform/database/hosts/configured-database.js';
import { distribute } from '../platform/database/distribution.js';

/*
 * `npm run db:distribute`: spreads a migrated database over the workers of a Citus cluster, whose coordinator
 * DATABASE_DIRECT_URL or DATABASE_URL names. Can be run again. Exits with 0 when every table is where it belongs, and
 * with 1 and one line otherwise.
 */

export async function distributeTables(): Promise<void> {
  const configuration = loadConfiguration(process.env);
  const { distributed, shards, workers } = await withConfiguredDatabase(configuration, (database) =>
    database.transaction(distribute),
  );
  say(
    distributed.length === 0
      ? `Everything is distributed already: ${shards} shards, ${workers} workers.`
      : `Distributed ${distributed.length} tables: ${shards} shards, ${workers} workers. Restart the replicas.`,
  );
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
