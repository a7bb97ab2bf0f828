import { afterAll } from 'vitest';
import { startCitus } from '../../support/citus.js';
import { makeTestDatabasesBy } from '../../support/test-database.js';

/*
 * Goal: attempts and bodies are pruned on a real Citus whose workers are asked (docs/growing.md).
 * Method: the tests as they are, on a database that is spread over two workers.
 */

const cluster = await startCitus();
makeTestDatabasesBy(() => cluster.createDatabase('workers'));
afterAll(() => cluster.close());

await import('../../e2e/retention/deliveries.spec.js');
