import { defineConfig } from 'vitest/config';

/** `npm run test:long`: minutes to hours, one file at a time; before a release, not before every change. */
export default defineConfig({
  test: {
    root: process.cwd(),
    include: ['test/long/**/*.spec.ts'],
    globalSetup: ['test/setup/global-setup.ts'],
    setupFiles: ['reflect-metadata'],
    testTimeout: 3_600_000,
    hookTimeout: 600_000,
    pool: 'forks',
    maxWorkers: 1,
    disableConsoleIntercept: true,
  },
});
