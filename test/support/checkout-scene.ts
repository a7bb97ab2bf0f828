import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ManualClock } from './money-clock.js';
import { createStore, signIn, startTestApp, type TestApp, type TestStore } from './test-app.js';
import { receiptBody } from './receipt-body.js';

/** A merchant's static Bangla QR code (invented identity, correct CRC); the blanks count. */
export const QR_PAYLOAD =
  '00020101021126560016com.pubalibankbd0102000204017503189000000000000000015204541153030505802BD5925EXAMPLE SHOP             6005DHAKA62320211017000000010713PBLQR0000000164170002bn0107bangali91200016com.pubalibankbd630420DE';

export const WALLETS = [
  { provider: 'bkash', number: '01700000001', accountType: 'personal' },
  { provider: 'nagad', number: '01800000001', accountType: 'merchant' },
  { provider: 'rocket', number: '017000000015', accountType: 'agent' },
  { provider: 'upay', number: '01900000001', accountType: 'personal' },
  { provider: 'qr', accountType: 'merchant', qrPayload: QR_PAYLOAD },
];

/** Where the payer comes from and goes back to: another server than ours. */
export interface Shop {
  readonly url: string;
  /** Paths with queries that browsers asked for. */
  readonly visited: readonly string[];
  close(): Promise<void>;
}

async function startShop(): Promise<Shop> {
  const visited: string[] = [];
  const server = createServer((request, response) => {
    if (request.url !== '/favicon.ico') visited.push(request.url ?? '');
    response
      .writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' })
      .end('<!doctype html><title>Shop</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    visited,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Two replicas, a store with its phone, its backend and its website, and the time, which can be moved. */
export interface CheckoutScene {
  readonly one: TestApp;
  readonly two: TestApp;
  readonly clock: ManualClock;
  readonly shop: Shop;
  readonly store: TestStore;
  /** Answers the payment's id. */
  createPayment(body?: Record<string, unknown>): Promise<string>;
  /** The store's phone forwards a receipt of bKash over the second replica; answers what became of it. */
  receive(receipt: Record<string, unknown>): Promise<string>;
  /** The payer submits over the API, as a page on another device would. */
  submit(paymentId: string, body: Record<string, unknown>): Promise<number>;
  cancel(paymentId: string): Promise<void>;
  /** A user decides about a payment in review. */
  review(paymentId: string, decision: 'approve' | 'reject'): Promise<void>;
  close(): Promise<void>;
}

export async function startCheckoutScene(): Promise<CheckoutScene> {
  const clock = new ManualClock();
  const shop = await startShop();
  const one = await startTestApp({ clock });
  const two = await startTestApp({ clock, database: one.database });
  const admin = await signIn(one.http);
  const store = await createStore(one.http, admin, { name: 'Dhaka Books', wallets: WALLETS });
  const expectStatus = (answer: { status: number; text: string }, wanted: number) => {
    if (answer.status !== wanted) throw new Error(`Answered ${answer.status}, not ${wanted}: ${answer.text}`);
  };
  return {
    one,
    two,
    clock,
    shop,
    store,
    createPayment: async (body = {}) => {
      const answer = await one.http.post<{ id: string }>(
        '/api/v1/payments',
        { amount: 1250, ...body },
        store.key,
      );
      expectStatus(answer, 201);
      return answer.body.id;
    },
    receive: async (receipt) => {
      const body = receiptBody({ amount: 1250, counterparty: '01700000009', ...receipt }, clock.now());
      const answer = await two.http.post<{ status: string }>('/api/webhooks/joma', body, store.phone);
      expectStatus(answer, 200);
      return answer.body.status;
    },
    submit: async (paymentId, body) =>
      (await two.http.post(`/api/v1/payments/public/${paymentId}/verify`, body)).status,
    cancel: async (paymentId) => {
      expectStatus(await two.http.post(`/api/v1/payments/${paymentId}/cancel`, undefined, store.key), 200);
    },
    review: async (paymentId, decision) => {
      const path = `/api/v1/stores/${store.id}/payments/${paymentId}/${decision}`;
      expectStatus(await two.http.post(path, { reason: 'Seen.' }, await signIn(two.http)), 200);
    },
    close: async () => {
      await two.close();
      await one.close();
      await shop.close();
    },
  };
}

let sequence = 0;

/** A TrxID in the shape of bKash's, never the same twice in one file. */
export function nextTrxId(): string {
  sequence += 1;
  return `DKL${String(sequence).padStart(4, '0')}QXP`;
}
