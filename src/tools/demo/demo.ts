/*
 * The main flow from outside, as one timeline (specification §1, contract 8.9): what a merchant, a payer and the
 * store's phone do, over HTTP alone. Nothing of the service is imported. Start reading at `demonstrate`.
 *
 * npm run demo                                               brings its own service, on an empty database JOMA_URL=…
 * ADMIN_EMAIL=… ADMIN_PASSWORD=… npm run demo     uses one that runs on this machine already
 *
 * Exits 0 only when all of it happened.
 */
import { randomInt } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { ApiClient } from './demo-client.js';
import { DemoMerchant } from './demo-merchant.js';
import { type DemoService, serviceAt, startOwnService } from './demo-service.js';

/** The whole demo, the first start of the database included, in milliseconds. */
const DEADLINE_MS = 120_000;

const startedAtMs = performance.now();

interface Store {
  readonly id: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
  readonly signingSecret: string;
}

interface Payment {
  readonly id: string;
  readonly status: string;
  readonly checkoutUrl: string;
}

/** How one payment is paid: what the payer types, and what the phone reads from the wallet's message. */
interface Round {
  readonly title: string;
  readonly amount: number;
  readonly typed: string;
  readonly submission: Readonly<Record<string, string>>;
  readonly receipt: Readonly<Record<string, unknown>>;
}

async function demonstrate(service: DemoService, merchant: DemoMerchant): Promise<void> {
  await service.ready();
  tell('Joma', `is ready at ${service.url}`);
  const api = new ApiClient(service.url);
  const login = { email: service.adminEmail, password: service.adminPassword };
  const { accessToken } = await api.post<{ accessToken: string }>('/api/v1/auth/login', login);
  const admin = { Authorization: `Bearer ${accessToken}` };
  tell('admin', `signs in as ${service.adminEmail}`);

  const store = await api.post<Store>('/api/v1/stores', { ...STORE, webhookUrl: merchant.url }, admin);
  merchant.trust(store);
  tell('admin', `creates a store → its webhooks go to ${merchant.url}`);
  const archive = () => api.delete(`/api/v1/stores/${store.id}`, admin);
  try {
    for (const round of [payByTrxId(), payByBanglaQr()]) await play(round, service, store, merchant);
    const sold = await sellByLink(service, store, merchant);
    await refund(sold, service, store, merchant);
    expect('the answer to a forged webhook', await merchant.answerToForgery(), 401);
    tell('merchant', 'gets a forged webhook, and answers 401');
  } catch (error) {
    // The first failure is the one to tell.
    await archive().catch(() => undefined);
    throw error;
  }
  await archive();
}

/** One payment, from its creation to the signed webhook. */
async function play(round: Round, service: DemoService, store: Store, merchant: DemoMerchant): Promise<void> {
  const api = new ApiClient(service.url);
  const key = { 'X-Api-Key': store.apiKey };
  const phone = { 'X-Webhook-Secret': store.webhookSecret };
  say('', round.title);

  const order = { amount: round.amount, note: 'Order 1001', products: PRODUCTS };
  const payment = await api.post<Payment>('/api/v1/payments', order, key);
  expect('the new payment', payment.status, 'pending');
  tell('merchant', `creates a payment of ${round.amount} BDT → ${payment.status}`);

  const page = await api.page(payment.checkoutUrl);
  expect('the checkout page shows the store', page.includes(STORE.name), true);
  tell('payer', `opens the checkout page ${payment.checkoutUrl}`);

  const submit = `/api/v1/payments/public/${payment.id}/verify`;
  const submitted = await api.post<Payment>(submit, round.submission);
  expect('the submission', submitted.status, 'submitted');
  tell('payer', `submits ${round.typed} → ${submitted.status}`);

  const receipt = {
    app: 'demo-phone',
    kind: 'received',
    receivedAt: new Date().toISOString(),
    ...round.receipt,
  };
  const forwardedAtMs = performance.now();
  const received = await api.post<Payment>(`/api/webhooks/${service.name}`, receipt, phone);
  expect('the receipt', received.status, 'matched');
  tell('phone', `forwards the receipt → ${received.status}`);

  const verified = await api.get<Payment>(`/api/v1/payments/${payment.id}`, key);
  expect('the payment', verified.status, 'verified');
  tell('merchant', `reads the payment → ${verified.status}`);

  const webhook = await merchant.webhookAbout(payment.id);
  expect('the event', webhook.event, 'payment.verified');
  const afterMs = Math.round(webhook.receivedAtMs - forwardedAtMs);
  tell('merchant', `received ${webhook.event} ${afterMs} ms after the receipt set out, as ${webhook.id}`);
  expect('X-Service-Signature is right', webhook.isServiceSignatureRight, true);
  tell('merchant', 'checks X-Service-Signature over the raw body, in constant time → right');
  expect('webhook-signature is right', webhook.isStandardSignatureRight, true);
  tell('merchant', 'checks webhook-id, webhook-timestamp and webhook-signature (Standard Webhooks) → right');
  expect('the products', JSON.stringify(webhook.products), JSON.stringify(PRODUCTS));
  tell('merchant', 'finds the products as they were given');
}

/**
 * Its wallet's number is another one at each run: one wallet stands in one live store of an owner only (contract
 * 4.45).
 */
/** A shop without a website: a link in a chat becomes a payment (contract 11.7). Answers the payment's id. */
async function sellByLink(service: DemoService, store: Store, merchant: DemoMerchant): Promise<string> {
  const api = new ApiClient(service.url);
  const key = { 'X-Api-Key': store.apiKey };
  say('', 'By a payment link: the shop sends it in a chat, the payer says who they are and how much.');
  const link = await api.post<{ url: string; id: string }>(
    '/api/v1/payment-links',
    { title: 'Pay Dhaka Books', minAmount: 10, askName: true },
    key,
  );
  tell('merchant', `makes a link → ${link.url}`);
  const page = await api.page(link.url);
  const checkout = await api.sendForm(link.url, page, { amount: '300', name: 'Rahim Uddin' });
  const paymentId = /[0-9a-f-]{36}/.exec(checkout)?.[0] ?? '';
  tell('payer', `types 300, and is led to ${checkout}`);
  const trxId = randomCharacters('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', 10);
  await api.post(`/api/v1/payments/public/${paymentId}/verify`, { trxId });
  await forward(service, store, { provider: 'bkash', trxId, amount: 300, counterparty: '01700000002' });
  await merchant.webhookAbout(paymentId);
  const sold = await api.get<{ verifiedCount: number; verifiedAmount: number }>(
    `/api/v1/payment-links/${link.id}`,
    key,
  );
  expect('what came through the link', `${sold.verifiedCount} ${sold.verifiedAmount}`, '1 300');
  tell('merchant', `reads the link → ${sold.verifiedCount} payment, ${sold.verifiedAmount} BDT`);
  return paymentId;
}

/** Money goes back by hand, and is written down; the phone's own message confirms it (contract 12.2). */
async function refund(
  paymentId: string,
  service: DemoService,
  store: Store,
  merchant: DemoMerchant,
): Promise<void> {
  const api = new ApiClient(service.url);
  const key = { 'X-Api-Key': store.apiKey };
  const trxId = randomCharacters('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', 10);
  const path = `/api/v1/payments/${paymentId}/refunds`;
  const body = { amount: 100, provider: 'bkash', trxId, reason: 'One book was out of stock.' };
  const recorded = await api.post<{ status: string }>(path, body, key);
  expect('the refund', recorded.status, 'recorded');
  tell('merchant', `sends 100 BDT back with bKash, and records the refund → ${recorded.status}`);
  const webhook = await merchant.webhookAbout(paymentId, 'payment.refunded');
  expect('X-Service-Signature is right', webhook.isServiceSignatureRight, true);
  tell('merchant', `received ${webhook.event}, and checks its signature → right`);
  await forward(service, store, {
    kind: 'sent',
    provider: 'bkash',
    trxId,
    amount: 100,
    counterparty: '01700000002',
  });
  const { data } = await api.get<{ data: { status: string }[] }>(path, key);
  expect('the refund', data[0]?.status, 'confirmed');
  tell('phone', 'forwards the wallet’s message about the money sent → confirmed');
}

/** The store's phone forwards a message of a wallet. */
async function forward(service: DemoService, store: Store, message: Record<string, unknown>): Promise<void> {
  const received = { app: 'demo-phone', kind: 'received', receivedAt: new Date().toISOString(), ...message };
  const phone = { 'X-Webhook-Secret': store.webhookSecret };
  await new ApiClient(service.url).post(`/api/webhooks/${service.name}`, received, phone);
}

const STORE = {
  name: 'Dhaka Books (demo)',
  wallets: [
    { provider: 'bkash', number: `017${randomCharacters('0123456789', 8)}`, accountType: 'personal' },
    { provider: 'qr', accountType: 'merchant' },
  ],
};

const PRODUCTS = [{ name: 'Sonar Tori', quantity: 1, price: 500, sku: 'BK-17' }];

/** The wallet's message carries a transaction id, and so does what the payer types. */
function payByTrxId(): Round {
  const trxId = randomCharacters('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', 10);
  return {
    title: 'By TrxID: the payer sends money with bKash, and types the TrxID of the message.',
    amount: 500,
    typed: `TrxID ${trxId}`,
    submission: { trxId },
    receipt: { provider: 'bkash', trxId, amount: 500, counterparty: '01700000002' },
  };
}

/** Bangla QR has no TrxID: four digits and the amount must agree, within three minutes. */
function payByBanglaQr(): Round {
  const last4digit = randomCharacters('0123456789', 4);
  return {
    title: 'By Bangla QR: the payer scans the code, and types the last four digits of the paying account.',
    amount: 250.75,
    typed: `the last four digits ${last4digit}`,
    submission: { last4digit },
    receipt: { last4digit, amount: 250.75 },
  };
}

function randomCharacters(alphabet: string, count: number): string {
  return Array.from({ length: count }, () => alphabet[randomInt(alphabet.length)]).join('');
}

function expect(what: string, found: unknown, wanted: unknown): void {
  if (found !== wanted) throw new Error(`${what}: expected ${String(wanted)}, found ${String(found)}`);
}

function tell(who: string, what: string): void {
  say(`${Math.round(performance.now() - startedAtMs)} ms`, `${who.padEnd(9)} ${what}`);
}

function say(when: string, what: string): void {
  process.stdout.write(`${when === '' ? '\n' : ''}${when.padStart(8)}  ${what}\n`);
}

export async function demo(): Promise<void> {
  const interrupted = interruption();
  const { JOMA_URL: jomaUrl } = process.env;
  if (!jomaUrl) tell('Joma', 'starts, on an empty database in a temporary folder');
  const merchant = await DemoMerchant.start();
  const service = jomaUrl ? serviceAt(jomaUrl, process.env) : await startOwnService();
  try {
    await Promise.race([demonstrate(service, merchant), interrupted]);
  } finally {
    await merchant.close();
    await service.stop();
  }
  say(
    '',
    'Everything happened: two payments verified, two signed webhooks received and checked; one more paid through a link, and partly refunded.',
  );
}

/** Fails when the time is up or somebody presses Ctrl-C, so that what was started is stopped, too. */
function interruption(): Promise<never> {
  const interrupted = new Promise<never>((_resolve, reject) => {
    const timeUp = () => reject(new Error(`it was not over after ${DEADLINE_MS / 1_000} seconds`));
    setTimeout(timeUp, DEADLINE_MS).unref();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => reject(new Error(`it was stopped by ${signal}`)));
    }
  });
  // It may fail before anybody waits for it.
  interrupted.catch(() => undefined);
  return interrupted;
}
