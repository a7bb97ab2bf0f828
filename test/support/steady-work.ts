import type { HttpClient } from './http-client.js';
import type { TestStore } from './test-app.js';
import { receiptBody } from './receipt-body.js';

/** What was answered while the work went on. */
export interface SteadyWork {
  readonly created: ReadonlySet<string>;
  readonly verified: ReadonlySet<string>;
  /** How often each other status came. */
  readonly refused: ReadonlyMap<number, number>;
  /** Resolves when everything that was under way has been answered. */
  stop(): Promise<void>;
}

/** Creates payments, and pays every one of them, by so many at a time and without a pause, until it is stopped. */
export function startSteadyWork(http: HttpClient, store: TestStore, writers: number): SteadyWork {
  const created = new Set<string>();
  const verified = new Set<string>();
  const refused = new Map<number, number>();
  let isRunning = true;
  let sequence = 0;
  const refuse = (status: number) => refused.set(status, (refused.get(status) ?? 0) + 1);

  const payOne = async (): Promise<void> => {
    const trxId = `WORK${(sequence += 1)}`;
    const made = await http.post<{ id: string }>('/api/v1/payments', { amount: 500 }, store.key);
    if (made.status !== 201) return void refuse(made.status);
    created.add(made.body.id);
    const received = await http.post('/api/webhooks/joma', receiptBody({ trxId }), store.phone);
    if (received.status !== 200) return void refuse(received.status);
    const entered = await http.post(`/api/v1/payments/public/${made.body.id}/verify`, { trxId });
    if (entered.status !== 200) return void refuse(entered.status);
    if (entered.body['status'] === 'verified') verified.add(made.body.id);
  };
  const running = Promise.all(
    Array.from({ length: writers }, async () => {
      while (isRunning) await payOne();
    }),
  );
  return {
    created,
    verified,
    refused,
    stop: async () => {
      isRunning = false;
      await running;
    },
  };
}
