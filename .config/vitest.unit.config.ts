import { defineConfig } from 'vitest/config';

/**
 * `npm run test:unit`: pure specs and those that only read sources; no build, no database, no network. Simulations of
 * many seconds are left to `npm test`.
 */
export default defineConfig({
  test: {
    root: process.cwd(),
    include: ['src/**/*.spec.ts', 'test/static/**/*.spec.ts'],
    exclude: ['**/*.simulation.spec.ts'],
    setupFiles: ['reflect-metadata'],
    pool: 'threads',
    isolate: false,
    maxWorkers: 2,
  },
});
