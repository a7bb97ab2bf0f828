import { expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { startReplicatedPostgres } from '../support/replicated-postgres.js';
import { startSteadyWork } from '../support/steady-work.js';
import { createStore, signIn, startTestApp } from '../support/test-app.js';

/*
 * Goal: what a fail-over costs without `synchronous_standby_names`, for docs/growing.md. Method: the primary is ended
 * under load as a power cut would, the copy is promoted, and what was answered 201 or "verified" is looked for there.
 * It asserts nothing about how much: that hangs on the network between the two. What is there must be whole.
 */

const ROUNDS = 5;
const WRITERS = 16;

it('measures what is lost', async () => {
  for (let round = 1; round <= ROUNDS; round += 1) {
    const servers = await startReplicatedPostgres();
    const database = { url: servers.url, query: () => Promise.resolve([]), drop: () => Promise.resolve() };
    const test = await startTestApp({ database });
    const store = await createStore(test.http, await signIn(test.http));
    const work = startSteadyWork(test.http, store, WRITERS);
    await eventually(
      () => work.verified.size,
      (count) => count >= 300,
      'payments before the crash',
      60_000,
    );
    await servers.primary.crash();
    const [created, verified] = [[...work.created], [...work.verified]];
    const crashedAtMs = performance.now();
    await servers.promote();
    await eventually(
      () => work.verified.size,
      (count) => count > verified.length + 10,
      'payments after the promotion',
      60_000,
    );
    const awayMs = performance.now() - crashedAtMs;
    await work.stop();
    const rows = await servers.standby.query<{ id: string; status: string; receipt_id: string | null }>(
      'SELECT id, status, receipt_id FROM payments',
    );
    const kept = new Map(rows.map((row) => [row.id, row]));
    const lost = created.filter((id) => !kept.has(id)).length;
    const undone = verified.filter((id) => kept.get(id)?.status !== 'verified').length;
    process.stdout.write(
      `round ${round}: ${lost} of ${created.length} payments and ${undone} of ${verified.length} verifications lost; ` +
        `${[...work.refused.values()].reduce((sum, count) => sum + count, 0)} requests refused, away for ${awayMs.toFixed(0)} ms\n`,
    );
    expect(
      rows.filter(({ status, receipt_id: receipt }) => status === 'verified' && receipt === null),
    ).toEqual([]);
    await test.close();
    await servers.close();
  }
});
