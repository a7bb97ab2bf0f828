import { DataSource } from 'typeorm';
import { loadConfiguration, migrationsOf } from './src/app.module.js';
import { dataSourceOptions } from './src/platform/database/data-source-options.js';

/**
 * For the TypeORM command line, on the compiled output: `npm run build && npx typeorm migration:show -d dist/ormconfig.js`.
 * The service itself migrates when it starts.
 */
export const dataSource = new DataSource(
  dataSourceOptions(process.env['DATABASE_URL'] ?? 'postgres://localhost:5432/joma', 2, {
    migrations: migrationsOf(loadConfiguration(process.env)),
  }),
);
