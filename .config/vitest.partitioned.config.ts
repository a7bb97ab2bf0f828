import { defineConfig } from 'vitest/config';

/**
 * `npm run test:partitioned`: the flows of money again, on tables that are partitioned by store: what plain PostgreSQL can show of
 * how the statements fare on shards.
 */
export default defineConfig({
  test: {
    root: process.cwd(),
    include: [
      'test/partitioned/**/*.spec.ts',
      ...['main-flow', 'races', 'states', 'refunds', 'payment-links', 'guessing', 'unique-amounts'].map(
        (name) => `test/e2e/${name}.spec.ts`,
      ),
      'test/e2e/{matching,review,payments,messages,events}/**/*.spec.ts',
    ],
    globalSetup: ['test/partitioned/setup.ts'],
    setupFiles: ['reflect-metadata'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
