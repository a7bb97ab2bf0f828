import { type DynamicModule, Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Configuration } from '../config/index.js';
import { hostUrls } from '../kernel/host-urls.js';
import { dataSourceOptions } from './data-source-options.js';
import { findPrimary } from './database-hosts.js';
import { Database } from './database.js';
import { isDistributed } from './distribution.js';
import { ReplicaReads } from './replica-reads.js';

/** TypeORM's data source and our way to it, for every feature. */
@Global()
@Module({})
export class DatabaseModule {
  static forRoot(databaseUrl: string): DynamicModule {
    const urls = hostUrls(databaseUrl) ?? [databaseUrl];
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRootAsync({
          inject: [Configuration],
          useFactory: async ({ databasePoolSize, databasePrepared: prepared }: Configuration) => ({
            ...dataSourceOptions(await findPrimary(urls), databasePoolSize, { prepared }),
            autoLoadEntities: true,
            // Whoever starts the application has migrated the database before; it answers, or the start fails.
            retryAttempts: 0,
          }),
        }),
      ],
      providers: [
        {
          provide: Database,
          inject: [DataSource, Configuration],
          useFactory: async (source: DataSource, { databasePrepared: prepared }: Configuration) =>
            new Database(source, { urls, prepared, distributed: await isDistributed(source) }),
        },
        ReplicaReads,
      ],
      exports: [Database, ReplicaReads],
    };
  }
}
