import { describe } from 'vitest';

/** Defines the tests of the main flow and of what belongs to it, for a file that runs them on another database. */
export function defineMainFlow(): void {
  const files = {
    'main flow': () => import('../e2e/main-flow.spec.js'),
    'another store': () => import('../e2e/stores/another-store.spec.js'),
    'body and signature': () => import('../e2e/webhooks/body-and-signature.spec.js'),
    'who may simulate': () => import('../e2e/matching/simulation-allowed.spec.js'),
    'filters of lists': () => import('../e2e/payments/list-filters.spec.js'),
  };
  for (const [name, load] of Object.entries(files))
    describe(name, async () => {
      await load();
    });
}
