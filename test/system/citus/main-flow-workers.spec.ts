import { afterAll } from 'vitest';
import { defineMainFlow } from '../../support/main-flow.js';
import { startCitus } from '../../support/citus.js';
import { makeTestDatabasesBy } from '../../support/test-database.js';

/*
 * Goal: the main flow holds on a real Citus whose workers are asked (docs/growing.md). Method: the tests as they are;
 * two replicas on a database that is spread over two workers, each replica asking another one.
 */

const cluster = await startCitus();
makeTestDatabasesBy(() => cluster.createDatabase('workers'));
afterAll(() => cluster.close());

defineMainFlow();
