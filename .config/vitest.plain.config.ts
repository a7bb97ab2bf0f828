import { defineConfig } from 'vitest/config';
import all from './vitest.config.js';

/**
 * `npm run test:plain`: the tests of money once more with `FAST_PATHS=off`. The plain classes are the specification of
 * the fast ones; what names the fast ones' statements is left out.
 */
export default defineConfig({
  test: {
    ...all.test,
    include: [
      'test/e2e/main-flow.spec.ts',
      'test/e2e/stores/another-store.spec.ts',
      'test/e2e/webhooks/body-and-signature.spec.ts',
      'test/e2e/conventions/idempotency-key.spec.ts',
      'test/e2e/{matching,payments,review,refunds,messages}/**/*.spec.ts',
    ],
    exclude: ['test/e2e/matching/receipts-together.spec.ts', 'test/e2e/payments/every-replica.spec.ts'],
    env: { FAST_PATHS: 'off' },
  },
});
