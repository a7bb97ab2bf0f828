import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { AccountsService, type FirstAdmin } from '../accounts/index.js';
import { createJoma } from '../app.module.js';
import {
  type Configuration,
  ConfigurationError,
  hostUrls,
  ServiceSettings,
} from '../platform/config/index.js';
import { dataSourceOptions } from '../platform/database/data-source-options.js';
import { findPrimary } from '../platform/database/hosts/database-hosts.js';
import { EmbeddedPostgres, tryAddress } from '../platform/database/embedded-postgres/index.js';
import { DatabaseSettings, migrate, type MigrationClass } from '../platform/database/index.js';
import { HttpSettings, Stopping } from '../platform/http/index.js';
import { isUnavailable } from '../kernel/sqlstate.js';
import { loadBrand } from '../platform/web/load-brand.js';
import { BrandSettings } from '../platform/web/brand.settings.js';

/** A running replica. */
export interface Service {
  readonly app: NestFastifyApplication;
  readonly configuration: Configuration;
  /** `http://host:port` it listens on. */
  readonly address: string;
  /** The admin, when this start created them. */
  readonly firstAdmin: FirstAdmin | null;
  /**
   * Announces the stop and goes on for `SHUTDOWN_DELAY`. Then it accepts no more requests, finishes those that run,
   * hands back claimed deliveries, and stops the embedded database (contract 8.33).
   */
  stop(): Promise<void>;
}

export interface ServiceHooks {
  /** One line of progress for a user. */
  readonly onProgress: (line: string) => void;
  /** The embedded database is gone, and with it all this process could do. */
  readonly onDatabaseLost: (line: string) => void;
}

/**
 * Starts everything: database, migrations, first admin, HTTP (contract 8.2).
 *
 * @throws ConfigurationError naming the variable when an address, a folder, a file or the database cannot be used
 */
export async function startService(
  configuration: Configuration,
  hooks: ServiceHooks,
  migrations: readonly MigrationClass[],
): Promise<Service> {
  // Everything that can be checked at once is checked before a database is installed.
  const { host, port, shutdownDelayMs } = configuration.of(HttpSettings);
  const database = configuration.of(DatabaseSettings);
  loadBrand(configuration.of(BrandSettings), '');
  await tryAddress(port, host).catch((error: unknown) => {
    throw asUnusableAddress(error, { host, port });
  });
  const embedded = database.databaseUrl === null ? await startEmbedded(configuration, hooks) : null;
  let app: NestFastifyApplication | null = null;
  try {
    const databaseUrl = embedded?.url ?? database.databaseUrl;
    if (databaseUrl === null) throw new Error('There is no database.');
    const migrateAt = embedded?.url ?? database.databaseDirectUrl ?? databaseUrl;
    const variable = migrateAt === databaseUrl ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL';
    await prepareDatabase(migrateAt, hooks, migrations).catch((error: unknown) => {
      throw embedded === null ? asUnusableDatabase(error, variable) : error;
    });
    app = await createJoma({ configuration, databaseUrl }).catch((error: unknown) => {
      throw asTakenRoute(error);
    });
    const firstAdmin = await app.get(AccountsService).ensureFirstAdmin();
    await app.listen(port, host).catch((error: unknown) => {
      throw asUnusableAddress(error, { host, port });
    });
    const running = app;
    const stop = async (): Promise<void> => {
      running.get(Stopping).begin();
      await setTimeout(shutdownDelayMs);
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

function asUnusableAddress(error: unknown, { host, port }: Pick<HttpSettings, 'host' | 'port'>): unknown {
  const { code = '', message } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'EADDRINUSE':
      return new ConfigurationError([`PORT: another process listens on port ${port} already (${message}).`]);
    case 'EACCES':
      return new ConfigurationError([`PORT: this user may not listen on port ${port} (${message}).`]);
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
    case 'EINVAL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EAI_FAIL':
      return new ConfigurationError([`HOST: "${host}" is no address of this machine (${message}).`]);
    default:
      return error;
  }
}

/** An extension's route that the core, or another extension, has. */
function asTakenRoute(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'FST_ERR_DUPLICATED_ROUTE' ? new ConfigurationError([`EXTENSIONS: ${message}.`]) : error;
}

/**
 * An extension's table, index or function that the core, or another extension, has (SQLSTATE 42P07, 42710 and 42723).
 */
function asTakenName(error: unknown): unknown {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (!['42P07', '42710', '42723'].includes(code)) return error;
  return new ConfigurationError([`EXTENSIONS: the database cannot be migrated: ${message}.`]);
}

/** A server that is not there, does not let us in or has no such database; anything else is a defect. */
function asUnusableDatabase(error: unknown, variable: string): unknown {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (!isUnavailable(error) && !/^E[A-Z_]+$/.test(code)) return error;
  return new ConfigurationError([`${variable}: the database cannot be used: ${message || code}.`]);
}

async function startEmbedded(configuration: Configuration, hooks: ServiceHooks): Promise<EmbeddedPostgres> {
  return EmbeddedPostgres.start({
    dataDir: join(configuration.of(ServiceSettings).dataDir, 'postgres'),
    onProgress: hooks.onProgress,
    onExit: hooks.onDatabaseLost,
  });
}

async function prepareDatabase(
  databaseUrl: string,
  hooks: ServiceHooks,
  migrations: readonly MigrationClass[],
): Promise<void> {
  const url = await findPrimary(hostUrls(databaseUrl) ?? [databaseUrl]);
  const dataSource = new DataSource(dataSourceOptions(url, 2, { migrations }));
  await dataSource.initialize();
  try {
    const names = await migrate(dataSource).catch((error: unknown) => {
      throw asTakenName(error);
    });
    if (names.length > 0) hooks.onProgress(`Migrated the database (${names.length} new).`);
  } finally {
    await dataSource.destroy();
  }
}
