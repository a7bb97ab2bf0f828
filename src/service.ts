import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { AccountsService, type FirstAdmin } from './accounts/index.js';
import { createApp } from './app.js';
import type { Configuration } from './config/index.js';
import { dataSourceOptions } from './database/data-source-options.js';
import { EmbeddedPostgres } from './database/embedded-postgres.js';
import { migrate } from './database/index.js';

/** A running replica. */
export interface Service {
  readonly app: NestFastifyApplication;
  readonly configuration: Configuration;
  /** `http://host:port` it listens on. */
  readonly address: string;
  /** The admin, when this start created them. */
  readonly firstAdmin: FirstAdmin | null;
  /** Stops taking requests, finishes what runs, hands back what was claimed, and stops the embedded database. */
  stop(): Promise<void>;
}

export interface ServiceHooks {
  /** One line of progress for a person. */
  readonly onProgress: (line: string) => void;
  /** The embedded database is gone, and with it all this process could do. */
  readonly onDatabaseLost: (line: string) => void;
}

/** Starts everything: database, migrations, first admin, HTTP (decisions §8). */
export async function startService(configuration: Configuration, hooks: ServiceHooks): Promise<Service> {
  const embedded = configuration.databaseUrl === null ? await startEmbedded(configuration, hooks) : null;
  let app: NestFastifyApplication | null = null;
  try {
    const databaseUrl = embedded?.url ?? configuration.databaseUrl;
    if (databaseUrl === null) throw new Error('There is no database.');
    await prepareDatabase(databaseUrl, hooks);
    app = await createApp({ configuration, databaseUrl });
    const firstAdmin = await app.get(AccountsService).ensureFirstAdmin();
    await app.listen(configuration.port, configuration.host);
    const running = app;
    const stop = async (): Promise<void> => {
      await running.close();
      await embedded?.stop();
    };
    return { app, configuration, address: await app.getUrl(), firstAdmin, stop };
  } catch (error) {
    await app?.close().catch(() => undefined);
    await embedded?.stop();
    throw error;
  }
}

async function startEmbedded(configuration: Configuration, hooks: ServiceHooks): Promise<EmbeddedPostgres> {
  return EmbeddedPostgres.start({
    dataDir: join(configuration.dataDir, 'postgres'),
    onProgress: hooks.onProgress,
    onExit: hooks.onDatabaseLost,
  });
}

async function prepareDatabase(databaseUrl: string, hooks: ServiceHooks): Promise<void> {
  const dataSource = new DataSource(dataSourceOptions(databaseUrl, 2));
  await dataSource.initialize();
  try {
    const names = await migrate(dataSource);
    if (names.length > 0) hooks.onProgress(`Migrated the database (${names.length} new).`);
  } finally {
    await dataSource.destroy();
  }
}
