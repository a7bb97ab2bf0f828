import { expect, it } from 'vitest';
import { residentMb } from '../support/system-processes.js';
import { startBuiltService } from '../support/built-service.js';
import { eventually } from '../support/eventually.js';
import { startSteadyWork } from '../support/steady-work.js';
import { createStore, signIn } from '../support/test-app.js';
import { createTestDatabase } from '../support/test-database.js';
import { startWebhookLedger } from '../support/webhook-ledger.js';

/*
 * Goal: a replica needs at most 300 MB after the load, and no more after half an hour of it than after five minutes.
 * Method: the built service under a steady flow of payments, receipts and webhooks; what it holds is read from /proc
 * every ten seconds. `MEMORY_MINUTES` makes it shorter for a look; under ten minutes it is still getting warm, and
 * only the limit is checked.
 */

const MINUTES = Number(process.env['MEMORY_MINUTES'] ?? 30);
const SAMPLE_MS = 10_000;
const LIMIT_MB = 300;
/** How much more the last sixth may hold than the second sixth: what the garbage collector leaves to chance. */
const GROWTH = 1.15;

const median = (values: readonly number[]): number =>
  [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;

it('stays flat', async () => {
  const database = await createTestDatabase();
  const ledger = await startWebhookLedger();
  const service = await startBuiltService({ DATABASE_URL: database.url, LOG_LEVEL: 'warn' });
  const store = await createStore(service.http, await signIn(service.http), { webhookUrl: ledger.url });
  const work = startSteadyWork(service.http, store, 16);
  const samples: number[] = [];
  const endsAtMs = performance.now() + MINUTES * 60_000;
  let nextAtMs = performance.now();
  await eventually(
    () => {
      if (performance.now() < nextAtMs) return samples.length;
      nextAtMs += SAMPLE_MS;
      return samples.push(residentMb(service.process.pid ?? 0));
    },
    () => performance.now() > endsAtMs,
    'the end of the time',
    MINUTES * 60_000 + 60_000,
  );
  await work.stop();
  expect(await service.stop()).toBe(0);
  await ledger.close();
  await database.drop();
  const sixth = Math.max(1, Math.floor(samples.length / 6));
  const [early, late] = [median(samples.slice(sixth, sixth * 2)), median(samples.slice(-sixth))];
  process.stdout.write(
    `${work.verified.size} payments verified; ${early.toFixed(0)} MB early, ${late.toFixed(0)} MB late, ` +
      `${Math.max(...samples).toFixed(0)} MB at most (${samples.length} samples)\n`,
  );
  expect(late).toBeLessThanOrEqual(LIMIT_MB);
  if (MINUTES >= 10) expect(late / early).toBeLessThan(GROWTH);
});
