import { afterAll, beforeAll, expect, it } from 'vitest';
import { EventRedaction } from '../../../src/platform/events/index.js';
import { newId } from '../../../src/kernel/ids.js';
import { createStore, signIn, startTestApp, type TestApp, type TestStore } from '../../support/test-app.js';

/*
 * Rules: contract 14.62.
 *
 * Goal: events that cannot be redacted yet, however many and however long, keep no other waiting (contract 14.62).
 * Method: more of them than one run looks at, with one behind them that can.
 */

const WAITING = 10_300;

let test: TestApp;
let store: TestStore;

beforeAll(async () => {
  test = await startTestApp({ writesPastService: true });
  store = await createStore(test.http, await signIn(test.http));
});
afterAll(() => test.close());

async function insertEvent(id: string, at: string): Promise<void> {
  await test.database.query(
    `INSERT INTO events (id, store_id, payment_id, subject_id, event, body, created_at)
     VALUES ($1, $2, $1, $1, 'payment.verified', '{"customerName":"Rahima Khatun"}', $3)`,
    [id, store.id, at],
  );
}

const bodyOf = async (id: string) => {
  const [row] = await test.database.query<{ body: string }>('SELECT body FROM events WHERE id = $1', [id]);
  return row?.body;
};

it('goes on behind what one run could not see to, and comes round again', async () => {
  await test.database.query(
    `INSERT INTO events (id, store_id, payment_id, subject_id, event, body, created_at)
     SELECT gen_random_uuid(), $1, gen_random_uuid(), gen_random_uuid(), 'payment.verified', '{}',
       '2026-01-01'::timestamptz + number * interval '1 second' FROM generate_series(1, $2) number`,
    [store.id, WAITING],
  );
  const [early, behind] = [newId(), newId()];
  await insertEvent(early, '2026-01-01T00:00:01.500Z');
  await insertEvent(behind, '2026-02-01T00:00:00Z');
  const redaction = test.app.get(EventRedaction);
  const redacted = new Set<string>([behind]);
  const run = () =>
    redaction.redact(
      new Date('2026-03-01'),
      () => Promise.resolve(redacted),
      () => false,
    );
  await run();
  await run();
  expect(await bodyOf(behind)).toBe('{"customerName":null}');
  // What could not be redacted when it was passed is found when the walk begins anew.
  redacted.add(early);
  await run();
  expect(await bodyOf(early)).toBe('{"customerName":null}');
});

it('stops where it is told to', async () => {
  const id = newId();
  await insertEvent(id, '2026-02-02T00:00:00Z');
  await test.app.get(EventRedaction).redact(
    new Date('2026-03-01'),
    () => Promise.resolve(new Set([id])),
    () => true,
  );
  expect(await bodyOf(id)).toContain('Rahima');
});

it('does not wait for a subscriber whose extension is switched off', async () => {
  await test.database.query(`INSERT INTO subscribers (name, first_seen_at) VALUES ('switched-off', now())`);
  const id = newId();
  await insertEvent(id, '2026-02-03T00:00:00Z');
  const redaction = test.app.get(EventRedaction);
  const run = () =>
    redaction.redact(
      new Date('2026-03-01'),
      () => Promise.resolve(new Set([id])),
      () => false,
    );
  await run();
  await run();
  expect(await bodyOf(id)).toBe('{"customerName":null}');
});
