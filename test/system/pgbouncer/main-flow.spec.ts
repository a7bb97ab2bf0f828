import { afterAll, expect, inject } from 'vitest';
import { defineMainFlow } from '../../support/main-flow.js';
import { startPgBouncer } from '../../support/pgbouncer.js';

/*
 * Goal: the main flow holds behind PgBouncer in transaction mode (contract 8.16). Method: the tests of the main flow
 * as they are; both replicas get to their database through a pooler that has fewer connections than they.
 */

const pgbouncer = await startPgBouncer(inject('postgresUrl'));
process.env['TEST_POOLER'] = pgbouncer.address;
afterAll(async () => {
  await pgbouncer.close();
  expect(pgbouncer.output(), 'who came').toMatch(/test_\w+\/joma@/);
});

defineMainFlow();
