import { defineConfig } from 'vitest/config';

/**
 * `npm run test:plain`: the tests of money once more with `FAST_PATHS=off`. The plain classes are the specification of
 * the fast ones; what names the fast ones' statements is left out.
 */
export default defineConfig({
  test: {
    root: process.cwd(),
    include: [
      'test/e2e/{main-flow,round-trip,idempotency,payments-list,refunds,races,states,qr,doubt,guessing}.spec.ts',
      'test/e2e/{unique-amounts,money-*,inactive-owner,key-rotation}.spec.ts',
      'test/e2e/{matching,payments,review,messages,events}/**/*.spec.ts',
    ],
    env: { FAST_PATHS: 'off' },
    globalSetup: ['test/setup/global-setup.ts'],
    setupFiles: ['reflect-metadata'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
