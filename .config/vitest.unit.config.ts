import { defineConfig } from 'vitest/config';

/** `npm run test:unit`: pure specs and those that only read sources; no build, no database, no network. */
export default defineConfig({
  test: {
    root: process.cwd(),
    include: ['src/**/*.spec.ts', 'test/static/**/*.spec.ts'],
    setupFiles: ['reflect-metadata'],
    pool: 'threads',
    maxWorkers: 2,
  },
});
