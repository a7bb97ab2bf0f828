import { afterAll } from 'vitest';
import { startCitus } from '../../support/citus.js';
import { makeTestDatabasesBy } from '../../support/test-database.js';

/*
 * Goal: webhooks are delivered, tried again and held on a real Citus whose workers are asked (docs/growing.md).
 * Method: the tests as they are, on a database that is spread over two workers.
 */

const cluster = await startCitus();
makeTestDatabasesBy(() => cluster.createDatabase('workers'));
afterAll(() => cluster.close());

await import('../../e2e/webhooks/deliveries.spec.js');
