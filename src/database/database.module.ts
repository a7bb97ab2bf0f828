import { type DynamicModule, Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Configuration } from '../config/index.js';
import { dataSourceOptions } from './data-source-options.js';
import { Database } from './database.js';

/** TypeORM's data source and our way to it, for every feature. */
@Global()
@Module({})
export class DatabaseModule {
  static forRoot(databaseUrl: string): DynamicModule {
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRootAsync({
          inject: [Configuration],
          useFactory: (configuration: Configuration) => ({
            ...dataSourceOptions(databaseUrl, configuration.databasePoolSize),
            autoLoadEntities: true,
            // Whoever starts the application has migrated the database before; it answers, or the start fails.
            retryAttempts: 0,
          }),
        }),
      ],
      providers: [
        { provide: Database, inject: [DataSource], useFactory: (source: DataSource) => new Database(source) },
      ],
      exports: [Database],
    };
  }
}
