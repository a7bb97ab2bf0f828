import { defineConfig } from 'vitest/config';
import all from './vitest.config.js';

/**
 * `npm run test:partitioned`: the flows of money again, on tables that are partitioned by store: what plain PostgreSQL
 * can show of how the statements fare on shards.
 */
export default defineConfig({
  test: {
    ...all.test,
    include: [
      'test/partitioned/**/*.spec.ts',
      'test/e2e/main-flow.spec.ts',
      'test/e2e/stores/another-store.spec.ts',
      'test/e2e/webhooks/body-and-signature.spec.ts',
      'test/e2e/matching/simulation-allowed.spec.ts',
      'test/e2e/{review,refunds,messages,links}/**/*.spec.ts',
      'test/e2e/payments/{state-table,list-filters}.spec.ts',
      'test/e2e/matching/{races,guess-protection,unique-amounts,approved-over-less}.spec.ts',
      'test/e2e/matching/{qr-receipts-with-trx-id,two-stores-of-one-owner}.spec.ts',
    ],
    exclude: [],
    globalSetup: ['test/partitioned/setup.ts'],
  },
});
