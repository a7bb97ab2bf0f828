import { defineConfig } from 'vitest/config';

/**
 * `npm test`: everything but what takes long (`npm run test:long`) or needs the system's packages
 * (`npm run test:system`). Files share a process, so that the application is read once in each.
 */
export default defineConfig({
  test: {
    root: process.cwd(),
    include: ['src/**/*.spec.ts', 'test/**/*.spec.ts'],
    exclude: ['test/long/**', 'test/system/**', 'test/partitioned/**'],
    globalSetup: ['test/setup/global-setup.ts'],
    setupFiles: ['reflect-metadata'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
    isolate: false,
    maxWorkers: 3,
  },
});
