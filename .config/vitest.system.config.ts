import { defineConfig } from 'vitest/config';

/**
 * `npm run test:system`: needs programs of the system's packages (PgBouncer, Citus). Where one is missing it fails, naming the
 * package; it never skips.
 */
export default defineConfig({
  test: {
    root: process.cwd(),
    include: ['test/system/**/*.spec.ts'],
    globalSetup: ['test/setup/global-setup.ts'],
    setupFiles: ['reflect-metadata'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    pool: 'forks',
    maxWorkers: 1,
  },
});
