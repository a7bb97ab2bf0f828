import { Database } from '../../src/platform/database/index.js';
import { newId } from '../../src/kernel/ids.js';
import { Events } from '../../src/platform/events/index.js';
import type { TestApp } from './test-app.js';

export interface AppendedEvent {
  readonly eventId: string;
  readonly paymentId: string;
  readonly body: string;
}

/** A payment for an event to be about, without the story that leads to its verification. */
export async function insertPayment(test: TestApp, storeId: string): Promise<string> {
  const paymentId = newId();
  await test.app.get(Database).execute(
    `INSERT INTO payments (id, store_id, status, amount_minor, pay_amount_minor, currency, created_at, expires_at)
     VALUES ($1, $2, 'pending', 100, 100, 'BDT', now(), now() + interval '1 hour')`,
    [paymentId, storeId],
  );
  return paymentId;
}

/** Appends an event as a verification does: in a transaction, which is committed when this resolves. */
export async function appendEvent(test: TestApp, storeId: string, note = 'জমা'): Promise<AppendedEvent> {
  const paymentId = await insertPayment(test, storeId);
  const body = JSON.stringify({ event: 'payment.verified', paymentId, storeId, amount: 10.5, note });
  const { eventId } = await test.app
    .get(Database)
    .transaction((tx) =>
      test.app
        .get(Events)
        .append(tx, { storeId, paymentId, event: 'payment.verified', body, createdAt: new Date() }),
    );
  return { eventId, paymentId, body };
}
