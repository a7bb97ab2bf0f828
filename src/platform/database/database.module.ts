import { type DynamicModule, Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Clock } from '../../kernel/clock.js';
import { hostUrls } from '../config/host-urls.js';
import { Registry } from 'prom-client';
import { ANSWER_TIMEOUT_MS, dataSourceOptions } from './data-source-options.js';
import { DatabaseClock } from './hosts/database-clock.js';
import { findPrimary, timelineOf } from './hosts/database-hosts.js';
import { databaseTime } from './hosts/database-time.js';
import { Database } from './database.js';
import { isDistributed } from './distribution.js';
import { FirstStatistics } from './first-statistics.js';
import { ReplicaReads } from './hosts/replica-reads.js';
import { DatabaseSettings } from './database.settings.js';

/** TypeORM's data source, our way to it, and its time, for every feature. */
@Global()
@Module({})
export class DatabaseModule {
  /** `clock`: another time than the database's, for tests. */
  static forRoot(databaseUrl: string, clock?: Clock): DynamicModule {
    const urls = hostUrls(databaseUrl) ?? [databaseUrl];
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRootAsync({
          inject: [DatabaseSettings],
          useFactory: async ({ databasePoolSize, databasePrepared: prepared }: DatabaseSettings) => ({
            ...dataSourceOptions(await findPrimary(urls), databasePoolSize, {
              prepared,
              answerTimeoutMs: ANSWER_TIMEOUT_MS,
            }),
            autoLoadEntities: true,
            // The database was migrated before: it answers, or the start fails.
            retryAttempts: 0,
          }),
        }),
      ],
      providers: [
        {
          provide: Database,
          inject: [DataSource, DatabaseSettings],
          useFactory: async (
            source: DataSource,
            { databasePrepared: prepared, fastPaths }: DatabaseSettings,
          ) =>
            new Database(source, {
              ...{ urls, prepared, fastPaths },
              distributed: await isDistributed(source),
              timeline: urls.length === 1 ? 0 : await timelineOf(source),
            }),
        },
        {
          provide: Clock,
          inject: [Database, DatabaseSettings, Registry],
          useFactory: (database: Database, { databaseDirectUrl }: DatabaseSettings, registry: Registry) =>
            clock ?? DatabaseClock.start(databaseTime(database, databaseDirectUrl), registry),
        },
        FirstStatistics,
        ReplicaReads,
      ],
      exports: [Database, Clock, ReplicaReads],
    };
  }
}
