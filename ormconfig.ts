import { DataSource } from 'typeorm';
import { MIGRATIONS } from './migrations/index.js';
import { loadConfiguration } from './src/config/index.js';
import { dataSourceOptions } from './src/database/data-source-options.js';
import { extensionsOf } from './src/extensions/index.js';

/**
 * For the TypeORM command line, on the compiled output: `npm run build && npx typeorm migration:show -d dist/ormconfig.js`.
 * The service itself migrates when it starts.
 */
export const dataSource = new DataSource(
  dataSourceOptions(process.env['DATABASE_URL'] ?? 'postgres://localhost:5432/joma', 2, {
    migrations: [
      ...MIGRATIONS,
      ...extensionsOf(loadConfiguration(process.env)).flatMap(({ migrations }) => migrations),
    ],
  }),
);
