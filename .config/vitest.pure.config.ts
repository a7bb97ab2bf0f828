import { defineConfig } from 'vitest/config';

/** The pure specs alone, without a database or a global set-up, so that a mutant costs milliseconds. */
export default defineConfig({
  test: {
    root: process.cwd(),
    include: ['src/kernel/*.spec.ts', 'src/payments/**/*.spec.ts', 'src/wallets/*.spec.ts'],
    setupFiles: ['reflect-metadata'],
    pool: 'threads',
    maxWorkers: 1,
  },
});
