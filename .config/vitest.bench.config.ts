import { defineConfig } from 'vitest/config';

/** `npm run bench`: measures against a floor in the same run; asserts nothing about time. */
export default defineConfig({
  test: {
    root: process.cwd(),
    include: ['test/bench/**/*.bench.ts'],
    globalSetup: ['test/bench/durable-setup.ts'],
    setupFiles: ['reflect-metadata'],
    testTimeout: 600_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 1,
    disableConsoleIntercept: true,
  },
});
