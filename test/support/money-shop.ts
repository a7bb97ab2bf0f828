import { DatabaseClock } from '../../src/platform/database/hosts/database-clock.js';
import { Registry } from 'prom-client';
import { PaymentsSweep } from '../../src/payments/intake/payments.sweep.js';
import type { HttpAnswer, HttpClient } from './http-client.js';
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

/** A payment as the merchant's API answers it. */
export interface PaymentAnswer {
  readonly id: string;
  readonly status: string;
  readonly reviewReason: string | null;
  readonly amount: number;
  readonly payAmount: number;
  readonly currency: string;
  readonly provider: string | null;
  readonly trxId: string | null;
  readonly receiptId: string | null;
  readonly payerNumber: string | null;
  readonly receivedAmount: number | null;
  readonly simulated: boolean;
  readonly expiresAt: string;
  readonly submittedAt: string | null;
  readonly verifiedAt: string | null;
  readonly cancelledAt: string | null;
}

/** What a submission is answered, or the problem that refuses it. */
export interface SubmitAnswer {
  readonly status?: string | number;
  readonly reviewReason?: string;
  readonly verifiedAt?: string;
  readonly redirectUrl?: string | null;
  readonly code?: string;
}

/** What a receipt is answered, or the problem that refuses it. */
export interface ReceiptAnswer {
  readonly receiptId: string;
  readonly status: string;
  readonly paymentId?: string;
  readonly code?: string;
}

/** A receipt as users see it. */
export interface ReceiptView {
  readonly id: string;
  readonly status: string;
  readonly provider: string;
  readonly trxId: string | null;
  readonly last4digit: string | null;
  readonly amount: number;
  readonly paymentId: string | null;
  readonly simulated: boolean;
  readonly flags: readonly string[];
}

export interface ProblemAnswer {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { pointer: string; detail: string }[];
}

export interface AuditLine {
  readonly action: string;
  readonly actor: { readonly type: string; readonly email?: string };
  readonly details: Record<string, unknown>;
}

/** What becomes of the receipt when a payment ends without money. */
export interface Ending {
  readonly receipt?: 'release' | 'void';
  readonly receiptId?: string;
  readonly seen?: Seen;
}

/** A payment as the caller saw it. */
export interface Seen {
  readonly status?: string;
  readonly reviewReason?: string | null;
  readonly receiptId?: string | null;
}

export type Typed =
  | { readonly trxId: string; readonly provider?: string }
  | { readonly last4digit: string; readonly provider?: string };

/** The service under test: one database, one or more replicas, one clock. */
export interface MoneyService {
  readonly clock: ManualClock;
  readonly replicas: readonly TestApp[];
  readonly test: TestApp;
  openShop(store?: Record<string, unknown>): Promise<Shop>;
  /** One round of a replica's sweep. */
  sweep(replica?: number): Promise<void>;
  close(): Promise<void>;
}

export async function startMoneyService(
  options: Pick<TestAppOptions, 'environment'> & {
    readonly replicas?: number;
    /** The machines' own clocks are hours off, each in its way; what they decide by is the database's all the same. */
    readonly wrongClocks?: boolean;
  } = {},
): Promise<MoneyService> {
  const clock = new ManualClock();
  const { environment } = options;
  const clockOf = (replica: number) =>
    options.wrongClocks === true ? wrongMachine(clock, replica % 2 === 0 ? HOUR_MS : -HOUR_MS) : clock;
  const test = await startTestApp({ clock: await clockOf(0), environment });
  const replicas = [test];
  while (replicas.length < (options.replicas ?? 1)) {
    const own = await clockOf(replicas.length);
    replicas.push(await startTestApp({ clock: own, environment, database: test.database }));
  }
  const users = new Users(test.http, clock);
  return {
    clock,
    replicas,
    test,
    openShop: async (store = {}) => {
      const created = await createStore(test.http, await users.admin(), { wallets: QR_WALLET, ...store });
      return new Shop(
        replicas.map(({ http }) => http),
        created,
        users,
        clock,
      );
    },
    sweep: (replica = 0) => replicas[replica]!.app.get(PaymentsSweep).round(),
    close: async () => {
      for (const replica of [...replicas].reverse()) await replica.close();
    },
  };
}

/** What a replica goes by whose machine is ahead by so much: the time of `database`. */
function wrongMachine(database: ManualClock, aheadMs: number): Promise<DatabaseClock> {
  const atMs = () => database.now().getTime();
  const local = { monotonicMs: () => atMs() - 1_000_000, systemMs: () => atMs() + aheadMs };
  return DatabaseClock.start((measure) => measure(() => Promise.resolve(atMs())), new Registry(), local);
}

/** Signs the admin in, and again when the clock has left the token behind. */
class Users {
  private header: { Authorization: string } | null = null;
  private signedInAtMs = 0;

  constructor(
    private readonly http: HttpClient,
    private readonly clock: ManualClock,
  ) {}

  async admin(): Promise<{ Authorization: string }> {
    const now = this.clock.now().getTime();
    if (this.header === null || Math.abs(now - this.signedInAtMs) > 10 * MINUTE_MS) {
      this.header = await signIn(this.http);
      this.signedInAtMs = now;
    }
    return this.header;
  }
}

/** One store with everything that is done to its money, in turn through each replica. */
export class Shop {
  private turn = 0;

  constructor(
    private readonly doors: readonly HttpClient[],
    readonly store: TestStore,
    private readonly users: { admin(): Promise<{ Authorization: string }> },
    readonly clock: ManualClock,
  ) {}

  /** The next replica's door. */
  get http(): HttpClient {
    this.turn += 1;
    return this.doors[this.turn % this.doors.length]!;
  }

  admin(): Promise<{ Authorization: string }> {
    return this.users.admin();
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
      receiptBody(this.clock, body),
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

/** The body of a receipt as the phone app sends it (specification §2.3). */
export function receiptBody(clock: ManualClock, body: Record<string, unknown>): Record<string, unknown> {
  const isQr = body['last4digit'] !== undefined && body['trxId'] === undefined;
  return {
    app: 'joma-phone',
    kind: 'received',
    amount: 500,
    receivedAt: clock.isoIn(0),
    ...(isQr ? {} : { provider: 'bkash', counterparty: '01700000002' }),
    ...body,
  };
}

let trxIds = 0;

/** A TrxID that no other test has, of ten characters as every wallet writes it, whatever the number of the process. */
export function newTrxId(): string {
  trxIds += 1;
  const inFour = (value: number): string => value.toString(36).toUpperCase().padStart(4, '0').slice(-4);
  return `T${inFour(process.pid)}N${inFour(trxIds)}`;
}
