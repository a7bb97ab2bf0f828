import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { type Configuration, ServiceSettings } from '../../config/index.js';
import { DatabaseSettings } from '../database.settings.js';
import { hostUrls } from '../../config/host-urls.js';
import { dataSourceOptions } from '../data-source-options.js';
import { findPrimary } from './database-hosts.js';
import { Database } from '../database.js';
import { EmbeddedPostgres } from '../embedded-postgres/index.js';

/** Commands run beside the service, and must leave it the connections. */
const COMMAND_POOL_SIZE = 2;

/**
 * Runs one command on the database of the configuration: `DATABASE_DIRECT_URL`, `DATABASE_URL`, or the embedded one,
 * which is started for it and stopped afterwards. Nothing is migrated. The embedded one must not be in use.
 */
export async function withConfiguredDatabase<Result>(
  configuration: Configuration,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const { databaseDirectUrl, databaseUrl } = configuration.of(DatabaseSettings);
  const url = databaseDirectUrl ?? databaseUrl;
  if (url !== null) return onDatabase(await findPrimary(hostUrls(url) ?? [url]), work);
  const embedded = await EmbeddedPostgres.start({
    dataDir: join(configuration.of(ServiceSettings).dataDir, 'postgres'),
  });
  try {
    return await onDatabase(embedded.url, work);
  } finally {
    await embedded.stop();
  }
}

async function onDatabase<Result>(
  url: string,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const dataSource = await new DataSource(dataSourceOptions(url, COMMAND_POOL_SIZE)).initialize();
  try {
    return await work(new Database(dataSource));
  } finally {
    await dataSource.destroy();
  }
}
