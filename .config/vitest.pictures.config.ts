import { defineConfig } from 'vitest/config';

/** `npm run docs:pictures`: takes the pictures of the documents. */
export default defineConfig({
  test: {
    root: process.cwd(),
    include: ['test/pictures/take-pictures.ts'],
    globalSetup: ['test/setup/global-setup.ts'],
    setupFiles: ['reflect-metadata'],
    pool: 'forks',
  },
});
