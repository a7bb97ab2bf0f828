import { expect } from 'vitest';
import { eventually } from './eventually.js';
import type { AppendedEvent } from './events.js';
import type { TestApp, TestStore } from './test-app.js';
import type { TestDatabase } from './test-database.js';

export interface DeliveryAnswer {
  readonly id: string;
  readonly paymentId: string;
  readonly status: string;
  readonly attempts: readonly {
    readonly responseStatus: number | null;
    readonly error: string | null;
    readonly responseExcerpt: string | null;
  }[];
  readonly nextAttemptAt: string | null;
  readonly body: string | null;
}

/** The one delivery of an event, as the store's key sees it. */
export async function deliveryOf(
  test: TestApp,
  store: TestStore,
  { paymentId }: Pick<AppendedEvent, 'paymentId'>,
): Promise<DeliveryAnswer> {
  const page = await test.http.get<{ data: DeliveryAnswer[] }>(
    `/api/v1/deliveries?paymentId=${paymentId}`,
    store.key,
  );
  expect(page.status).toBe(200);
  expect(page.body.data).toHaveLength(1);
  return page.body.data[0]!;
}

/** Waits until the delivery of an event has this status. */
export function deliveryBecomes(
  test: TestApp,
  store: TestStore,
  event: Pick<AppendedEvent, 'paymentId'>,
  status: string,
): Promise<DeliveryAnswer> {
  return eventually(
    () => deliveryOf(test, store, event),
    (delivery) => delivery.status === status,
    `a delivery that is ${status}`,
  );
}

/** How many deliveries of all stores have arrived. */
export async function countDelivered(database: Pick<TestDatabase, 'query'>): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM deliveries WHERE status = 'delivered'`,
  );
  return row!.count;
}

/** Waits until so many have arrived, at most `timeoutMs`. */
export async function allDelivered(
  database: Pick<TestDatabase, 'query'>,
  count: number,
  timeoutMs?: number,
): Promise<void> {
  await eventually(
    () => countDelivered(database),
    (delivered) => delivered === count,
    `${count} deliveries`,
    timeoutMs,
  );
}
