import { DatabaseClock } from '../../src/platform/database/hosts/database-clock.js';
import { Registry } from 'prom-client';
import { PaymentsSweep } from '../../src/payments/intake/payments.sweep.js';
import type {
  AuditLine,
  Ending,
  MessageAnswer,
  PaymentAnswer,
  ProblemAnswer,
  ReceiptAnswer,
  ReceiptView,
  Seen,
  SubmitAnswer,
  Typed,
} from './money-answers.js';
import type { HttpAnswer, HttpClient } from './http-client.js';
import { receiptBody } from './receipt-body.js';
import { HOUR_MS, ManualClock, MINUTE_MS } from './money-clock.js';
import {
  createStore,
  signIn,
  startTestApp,
  type TestApp,
  type TestAppOptions,
  type TestStore,
} from './test-app.js';

/** Bangla QR, which a store must offer before digits are taken. */
const QR_WALLET = [{ provider: 'qr', accountType: 'merchant' }];

export interface MoneyServiceOptions extends Pick<TestAppOptions, 'environment'> {
  /** Number of replicas, 1 by default. */
  readonly replicas?: number;
  /** The machines' own clocks are hours off, each in its way; what they decide by is the database's all the same. */
  readonly wrongClocks?: boolean;
}

/** The service under test: one database, one or more replicas, one clock that is moved by hand. */
export class MoneyService {
  readonly clock = new ManualClock();
  readonly replicas: TestApp[] = [];
  /** Ids of the stores that the running test has opened. */
  readonly openedIds: string[] = [];
  private header: { Authorization: string } | null = null;
  private signedInAtMs = 0;

  constructor(private readonly options: MoneyServiceOptions = {}) {}

  /** The first replica. */
  get test(): TestApp {
    return this.replicas[0]!;
  }

  async start(): Promise<this> {
    const { environment, replicas = 1, wrongClocks = false } = this.options;
    for (let count = 0; count < replicas; count += 1) {
      const aheadMs = count % 2 === 0 ? HOUR_MS : -HOUR_MS;
      const clock = wrongClocks ? await wrongMachine(this.clock, aheadMs) : this.clock;
      const database = this.replicas[0]?.database;
      this.replicas.push(await startTestApp({ clock, environment, database }));
    }
    return this;
  }

  async openShop(fields: Record<string, unknown> = {}): Promise<Shop> {
    const shop = new Shop(this);
    await shop.open(fields);
    return shop;
  }

  /** Signs the admin in, and again when the clock has left the token behind. */
  async admin(): Promise<{ Authorization: string }> {
    const now = this.clock.now().getTime();
    if (this.header === null || Math.abs(now - this.signedInAtMs) > 10 * MINUTE_MS) {
      this.header = await signIn(this.test.http);
      this.signedInAtMs = now;
    }
    return this.header;
  }

  /** One round of a replica's sweep. */
  sweep(replica = 0): Promise<void> {
    return this.replicas[replica]!.app.get(PaymentsSweep).round();
  }

  /** Closes the first replica last, as the database belongs to it. */
  async close(): Promise<void> {
    for (const replica of [...this.replicas].reverse()) await replica.close();
  }
}

export function startMoneyService(options?: MoneyServiceOptions): Promise<MoneyService> {
  return new MoneyService(options).start();
}

/** What a replica goes by whose machine is ahead by so much: the time of `database`. */
function wrongMachine(database: ManualClock, aheadMs: number): Promise<DatabaseClock> {
  const atMs = () => database.now().getTime();
  const local = { monotonicMs: () => atMs() - 1_000_000, systemMs: () => atMs() + aheadMs };
  return DatabaseClock.start((measure) => measure(() => Promise.resolve(atMs())), new Registry(), local);
}

/** One store with everything that is done to its money, in turn through each replica. */
export class Shop {
  private turn = 0;
  private opened: TestStore | null = null;

  constructor(private readonly service: MoneyService) {}

  /** Opens a new store; from then on the shop is that one. */
  async open(fields: Record<string, unknown> = {}): Promise<void> {
    const body = { wallets: QR_WALLET, ...fields };
    const store = await createStore(this.service.test.http, await this.admin(), body);
    this.opened = store;
    this.service.openedIds.push(store.id);
  }

  get store(): TestStore {
    if (this.opened === null) throw new Error('The shop is not open yet.');
    return this.opened;
  }

  get clock(): ManualClock {
    return this.service.clock;
  }

  /** The next replica's door. */
  get http(): HttpClient {
    this.turn += 1;
    const { replicas } = this.service;
    return replicas[this.turn % replicas.length]!.http;
  }

  admin(): Promise<{ Authorization: string }> {
    return this.service.admin();
  }

  async create(body: Record<string, unknown> = {}): Promise<PaymentAnswer> {
    const answer = await this.http.post<PaymentAnswer>(
      '/api/v1/payments',
      { amount: 500, ...body },
      this.store.key,
    );
    if (answer.status !== 201) throw new Error(`Creating was answered ${answer.status}: ${answer.text}`);
    return answer.body;
  }

  /** Creates a payment and submits a new TrxID for it; its receipt has not arrived. */
  async submitted(body: Record<string, unknown> = {}): Promise<{ id: string; trxId: string }> {
    const { id } = await this.create(body);
    const trxId = newTrxId();
    const answer = await this.submit(id, { trxId });
    if (answer.status !== 202) throw new Error(`Submitting was answered ${answer.status}: ${answer.text}`);
    return { id, trxId };
  }

  /** Creates a payment and has it paid with bKash, so that it is verified. */
  async paid(body: Record<string, unknown> = {}): Promise<{ id: string; trxId: string }> {
    const payment = await this.submitted(body);
    const { text, body: answer } = await this.receipt({
      trxId: payment.trxId,
      amount: body['amount'] ?? 500,
    });
    if (answer.status !== 'matched') throw new Error(`The receipt was answered ${text}`);
    return payment;
  }

  async get(paymentId: string): Promise<PaymentAnswer> {
    const answer = await this.http.get<PaymentAnswer>(`/api/v1/payments/${paymentId}`, this.store.key);
    if (answer.status !== 200) throw new Error(`Reading was answered ${answer.status}: ${answer.text}`);
    return answer.body;
  }

  /** `review: late`; the status alone where there is no reason. */
  async stateOf(paymentId: string): Promise<string> {
    const { status, reviewReason } = await this.get(paymentId);
    return reviewReason === null ? status : `${status}: ${reviewReason}`;
  }

  submit(paymentId: string, typed: Typed): Promise<HttpAnswer<SubmitAnswer>> {
    return this.http.post<SubmitAnswer>(`/api/v1/payments/public/${paymentId}/verify`, typed);
  }

  /** A receipt of 500 from bKash, now, with what is given instead. */
  receipt(body: Record<string, unknown>): Promise<HttpAnswer<ReceiptAnswer>> {
    return this.http.post<ReceiptAnswer>(
      '/api/webhooks/joma',
      receiptBody(body, this.clock.now()),
      this.store.phone,
    );
  }

  /** A heartbeat of the phone, with what is given besides. */
  heartbeat(body: { readonly pending?: number } = {}): Promise<HttpAnswer<unknown>> {
    return this.http.post('/api/webhooks/joma/heartbeat', { app: 'joma-phone', ...body }, this.store.phone);
  }

  cancel(paymentId: string, ending?: Ending): Promise<HttpAnswer<PaymentAnswer & ProblemAnswer>> {
    return this.http.post(`/api/v1/payments/${paymentId}/cancel`, ending, this.store.key);
  }

  async approve(
    paymentId: string,
    receiptId?: string | null,
    { reason = 'The customer paid.', seen }: { readonly reason?: string; readonly seen?: Seen } = {},
  ): Promise<HttpAnswer<PaymentAnswer & ProblemAnswer>> {
    const body = { reason, ...(receiptId === undefined ? {} : { receiptId }), ...(seen && { seen }) };
    return this.http.post(this.path(`payments/${paymentId}/approve`), body, await this.admin());
  }

  async reject(
    paymentId: string,
    reason = 'The money went back.',
    ending: Ending = {},
  ): Promise<HttpAnswer<PaymentAnswer & ProblemAnswer>> {
    const body = { reason, ...ending };
    return this.http.post(this.path(`payments/${paymentId}/reject`), body, await this.admin());
  }

  async match(
    receiptId: string,
    paymentId: string,
    {
      reason = 'The customer sent a screenshot.',
      seen,
    }: { readonly reason?: string; readonly seen?: Seen } = {},
  ): Promise<HttpAnswer<ReceiptView & ProblemAnswer & { payment: PaymentAnswer }>> {
    const body = { paymentId, reason, ...(seen && { seen }) };
    return this.http.post(this.path(`receipts/${receiptId}/match`), body, await this.admin());
  }

  async voidReceipt(
    receiptId: string,
    reason = 'Refunded to the sender.',
  ): Promise<HttpAnswer<ReceiptView & ProblemAnswer>> {
    return this.http.post(this.path(`receipts/${receiptId}/void`), { reason }, await this.admin());
  }

  async restoreReceipt(
    receiptId: string,
    reason = 'Voided by mistake.',
  ): Promise<HttpAnswer<ReceiptView & ProblemAnswer>> {
    return this.http.post(this.path(`receipts/${receiptId}/restore`), { reason }, await this.admin());
  }

  async change(body: Record<string, unknown>): Promise<void> {
    const path = `/api/v1/stores/${this.store.id}`;
    const answer = await this.http.request('PATCH', path, { headers: await this.admin(), body });
    if (answer.status !== 200) throw new Error(`Changing was answered ${answer.status}: ${answer.text}`);
  }

  async simulate(body: Record<string, unknown>): Promise<HttpAnswer<ReceiptAnswer>> {
    const receipt = {
      storeId: this.store.id,
      provider: 'bkash',
      amount: 500,
      sender: '01700000002',
      type: 'in',
    };
    return this.http.post('/api/webhooks/simulate', { ...receipt, ...body }, await this.admin());
  }

  async receiptOf(receiptId: string): Promise<ReceiptView> {
    const answer = await this.http.get<ReceiptView>(this.path(`receipts/${receiptId}`), await this.admin());
    if (answer.status !== 200) throw new Error(`Reading was answered ${answer.status}: ${answer.text}`);
    return answer.body;
  }

  async auditLog(): Promise<AuditLine[]> {
    const answer = await this.http.get<{ data: AuditLine[] }>(
      this.path('audit-log?limit=100'),
      await this.admin(),
    );
    return answer.body.data;
  }

  /** The texts of the phone, the newest first; `query` is that of the address. */
  async messages(query = ''): Promise<MessageAnswer[]> {
    const path = this.path(`messages?${query}`);
    const answer = await this.http.get<{ data: MessageAnswer[] }>(path, await this.admin());
    if (answer.status !== 200) throw new Error(`Reading was answered ${answer.status}: ${answer.text}`);
    return answer.body.data;
  }

  /** The events that the merchant can pull, oldest first. */
  async events(): Promise<{ id: string; event: string; body: string }[]> {
    const answer = await this.http.get<{ data: { id: string; event: string; body: string }[] }>(
      '/api/v1/events?limit=100',
      this.store.key,
    );
    return answer.body.data;
  }

  private path(rest: string): string {
    return `/api/v1/stores/${this.store.id}/${rest}`;
  }
}

let trxIds = 0;

/** A TrxID that no other test has, of ten characters as every wallet writes it, whatever the number of the process. */
export function newTrxId(): string {
  trxIds += 1;
  const inFour = (value: number): string => value.toString(36).toUpperCase().padStart(4, '0').slice(-4);
  return `T${inFour(process.pid)}N${inFour(trxIds)}`;
}
