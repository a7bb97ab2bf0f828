import type { ServerResponse } from 'node:http';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedPostgres } from '../../src/platform/database/embedded-postgres/index.js';
import { isGone } from '../support/system-processes.js';
import { type BuiltService, startBuiltService } from '../support/built-service.js';
import { eventually } from '../support/eventually.js';
import type { HttpAnswer } from '../support/http-client.js';
import { createStore, signIn, type TestStore } from '../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { startWebhookLedger, type WebhookLedger } from '../support/webhook-ledger.js';
import { receiptBody } from '../support/receipt-body.js';

/*
 * Rules: contract 6.20, 7.3, 7.24.
 *
 * Goal: "at least once" (contract 7.3) holds however processes end: nothing verified is lost, next to nothing is sent
 * twice, nothing is verified twice. Method: replicas of the built service are killed from outside during a steady
 * flow of payments, stopped past their leases, and end themselves at the two places where a crash is worst. What
 * merchants got is counted by a ledger outside of them. `WEBHOOK_TIMEOUT` is short, so that leases are.
 */

const REPLICAS = 3;
/** `npm run test:long` kills forty. */
const KILLS = Number(process.env['KILLS'] ?? 8);
const PAYMENT_EVERY_MS = 40;
/** Until a step is answered or a wait is over: as long as two starts on a busy machine. */
const PATIENCE_MS = 60_000;
/** A bound, not a goal: each kill is followed by a start, which takes seconds of a processor that others use too. */
const TEST_TIMEOUT_MS = 240_000;
const MAX_UNDER_WAY = 24;
/** Of a receiver that is neither instant nor slow: kills find exchanges under way. */
const RECEIVER_MS = 8;
/**
 * What a replica has under way when it is killed, or loses its database, may be sent again: at 25 payments a second less
 * than one exchange of 8 ms. Counted for each end, as the number of payments between them depends on the machine.
 */
const MAX_REPEATED_PER_END = 4;

const ENVIRONMENT = {
  DATABASE_POOL_SIZE: '8',
  LOG_LEVEL: 'error',
  WEBHOOK_TIMEOUT: '1s',
  WEBHOOK_RETRY_SCHEDULE: '200ms,500ms,1s,1s,1s,1s,1s,1s,1s,1s',
};

interface Credentials {
  readonly key: { readonly 'X-Api-Key': string };
  readonly phone: { readonly 'X-Webhook-Secret': string };
}

/** Sends a request until a replica answers it, whichever is up: what a client that retries does. */
type Send = (path: string, body: unknown, headers: Record<string, string>) => Promise<HttpAnswer>;

/** One payment from its creation to its verification, each step repeated until it is answered. Answers its id. */
async function payOnce(send: Send, { key, phone }: Credentials, trxId: string): Promise<string> {
  const created = await send('/api/v1/payments', { amount: 10 }, { ...key, 'Idempotency-Key': trxId });
  expect(created.status).toBe(201);
  const id = String(created.body['id']);
  const receipt = await send('/api/webhooks/joma', receiptOf(trxId), phone);
  expect(receipt.status).toBe(200);
  const verified = await send(`/api/v1/payments/public/${id}/verify`, { trxId }, {});
  expect(verified).toMatchObject({ status: 200, body: { status: 'verified' } });
  return id;
}

const receiptOf = (trxId: string) => receiptBody({ trxId, amount: 10 });

async function count(client: Client, statement: string): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM ${statement}`,
  );
  return rows[0]!.count;
}

/** Replicas of which one or another may be gone. */
class Fleet {
  private readonly replicas: (BuiltService | null)[] = [];
  private turn = 0;

  private constructor(private readonly environment: Record<string, string>) {}

  static async start(environment: Record<string, string>): Promise<Fleet> {
    const fleet = new Fleet(environment);
    fleet.replicas.push(...(await Promise.all(Array.from({ length: REPLICAS }, () => fleet.startOne()))));
    return fleet;
  }

  get one(): BuiltService {
    return this.replicas.find((replica) => replica !== null)!;
  }

  /** Kills one and has it start again; resolves when it is ready. */
  async kill(index: number): Promise<void> {
    const replica = this.replicas[index];
    this.replicas[index] = null;
    expect(await replica!.stop('SIGKILL')).toBeNull();
    this.replicas[index] = await this.startOne();
  }

  readonly send: Send = async (path, body, headers) => {
    return eventually(
      async () => {
        this.turn += 1;
        const replica = this.replicas[this.turn % REPLICAS];
        return (await replica?.http.post(path, body, headers).catch(() => null)) ?? null;
      },
      // 409 `idempotency.in_progress`: the first request still runs, or died with its replica a moment ago.
      (answer) => answer !== null && answer.status < 500 && answer.status !== 409,
      `an answer from ${path}`,
      PATIENCE_MS,
    ) as Promise<HttpAnswer>;
  };

  /** None of them has ended by itself. */
  expectAllRunning(): void {
    for (const replica of this.replicas) expect(replica?.process.exitCode, replica?.output()).toBeNull();
  }

  async stop(): Promise<void> {
    await Promise.all(this.replicas.map(async (replica) => replica?.stop('SIGKILL')));
  }

  private startOne(): Promise<BuiltService> {
    return startBuiltService(this.environment);
  }
}

/** Starts a payment every few milliseconds until it is stopped. */
class Flow {
  private readonly underWay = new Set<Promise<void>>();
  private readonly failures: unknown[] = [];
  private readonly timer: NodeJS.Timeout;
  private started = 0;
  readonly verified: string[] = [];

  constructor(send: Send, credentials: Credentials) {
    this.timer = setInterval(() => {
      if (this.underWay.size >= MAX_UNDER_WAY) return;
      this.started += 1;
      const payment = payOnce(send, credentials, `CRASH${String(this.started).padStart(6, '0')}`)
        .then((id) => void this.verified.push(id))
        .catch((error: unknown) => void this.failures.push(error))
        .finally(() => this.underWay.delete(payment));
      this.underWay.add(payment);
    }, PAYMENT_EVERY_MS);
  }

  /** Waits until the flow has gone on for some more payments. */
  async more(payments: number): Promise<void> {
    const goal = this.verified.length + payments;
    await eventually(
      () => this.verified.length + this.failures.length,
      (length) => length >= goal,
      'more payments',
      PATIENCE_MS,
    );
  }

  async end(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.underWay);
    expect(this.failures).toEqual([]);
    expect(this.verified).toHaveLength(this.started);
  }
}

describe('three replicas that are killed again and again, and a database that is restarted', () => {
  let folder: string;
  let postgres: EmbeddedPostgres;
  let ledger: WebhookLedger;
  let fleet: Fleet | undefined;

  const startPostgres = () =>
    EmbeddedPostgres.start({ dataDir: join(folder, 'postgres'), onExit: () => undefined });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'joma-crash-'));
    // Durable: an immediate restart must not lose what was committed.
    postgres = await startPostgres();
    ledger = await startWebhookLedger({
      answer: (response) => void setTimeout(() => response.writeHead(200).end('ok'), RECEIVER_MS),
    });
  });
  afterAll(async () => {
    await fleet?.stop();
    await ledger.close();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  });

  /** As `pg_ctl restart -m immediate`: no transaction is ended, the next start recovers from the journal. */
  async function restartDatabaseImmediately(): Promise<void> {
    const pid = Number.parseInt(await readFile(join(folder, 'postgres/cluster/postmaster.pid'), 'utf8'), 10);
    const { url } = postgres;
    process.kill(pid, 'SIGQUIT');
    await eventually(() => isGone(pid), Boolean, 'the end of the database');
    await postgres.stop();
    postgres = await startPostgres();
    expect(postgres.url).toBe(url);
  }

  it(
    'lose nothing, verify nothing twice, and send hardly anything twice',
    async () => {
      fleet = await Fleet.start({ ...ENVIRONMENT, DATABASE_URL: postgres.url });
      const { http } = fleet.one;
      const store = await createStore(http, await signIn(http), { webhookUrl: ledger.url });
      const flow = new Flow(fleet.send, store);
      await flow.more(20);
      // Two at a time are down most of the time: while one starts, the next one is killed.
      const killInPairs = async (pairs: number) => {
        for (let pair = 0; pair < pairs; pair += 1) {
          const [first, second] = [fleet!.kill(pair % REPLICAS), fleet!.kill((pair + 1) % REPLICAS)];
          await Promise.all([first, second]);
          await flow.more(5);
        }
      };
      await killInPairs(KILLS / 4);
      await restartDatabaseImmediately();
      await flow.more(20);
      fleet.expectAllRunning();
      await killInPairs(KILLS / 4);
      await flow.more(5);
      await flow.end();
      await expectKept(flow.verified);
    },
    TEST_TIMEOUT_MS,
  );

  async function expectKept(verified: readonly string[]): Promise<void> {
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    try {
      await eventually(
        () => count(client, `deliveries WHERE status <> 'delivered'`),
        (left) => left === 0,
        'the last delivery',
      );
      expect(await count(client, `payments WHERE status = 'verified'`)).toBe(verified.length);
      expect(await count(client, 'payments')).toBe(verified.length);
      expect(await count(client, 'events')).toBe(verified.length);
      expect(await count(client, `receipts WHERE status = 'matched'`)).toBe(verified.length);
    } finally {
      await client.end();
    }
    expect(new Set(ledger.entries.map(({ paymentId }) => paymentId))).toEqual(new Set(verified));
    const told = new Set(ledger.entries.map(({ webhookId, text }) => `${webhookId} ${text}`));
    expect(told.size).toBe(verified.length);
    const repeated = ledger.entries.length - verified.length;
    process.stdout.write(`${KILLS} kills: ${verified.length} verified, ${repeated} sent twice\n`);
    expect(repeated).toBeLessThanOrEqual((KILLS + REPLICAS) * MAX_REPEATED_PER_END);
  }
});

describe('one of two replicas', () => {
  let database: TestDatabase;
  let healthy: BuiltService;
  let troubled: BuiltService | undefined;
  let ledger: WebhookLedger;
  let store: TestStore;
  let answer: ((response: ServerResponse, number: number) => void) | null = null;
  let payments = 0;

  const environment = () => ({ ...ENVIRONMENT, DATABASE_URL: database.url });

  beforeAll(async () => {
    database = await createTestDatabase();
    ledger = await startWebhookLedger({
      answer: (response, number) => {
        if (answer === null) response.writeHead(200).end('ok');
        else answer(response, number);
      },
    });
    healthy = await startBuiltService(environment());
    store = await createStore(healthy.http, await signIn(healthy.http), { webhookUrl: ledger.url });
  });
  afterEach(async () => {
    answer = null;
    // A stopped process takes SIGKILL, but no other signal.
    await troubled?.stop('SIGKILL');
    troubled = undefined;
  });
  afterAll(async () => {
    await healthy.stop('SIGKILL');
    await ledger.close();
    await database.drop();
  });

  const sendHealthy: Send = (path, body, headers) => healthy.http.post(path, body, headers);

  /** A payment that the healthy replica prepares, and whose last step is left to the caller. */
  async function preparePayment(): Promise<{ readonly id: string; readonly trxId: string }> {
    payments += 1;
    const trxId = `REPLICA${String(payments).padStart(4, '0')}`;
    const created = await sendHealthy('/api/v1/payments', { amount: 10 }, store.key);
    expect((await sendHealthy('/api/webhooks/joma', receiptOf(trxId), store.phone)).status).toBe(200);
    return { id: String(created.body['id']), trxId };
  }

  const submit = (to: BuiltService, { id, trxId }: { id: string; trxId: string }) =>
    to.http.post(`/api/v1/payments/public/${id}/verify`, { trxId });

  async function deliveredOf(paymentId: string): Promise<{ status: string; attempt_count: number }> {
    const [row] = await eventually(
      () =>
        database.query<{ status: string; attempt_count: number }>(
          'SELECT status, attempt_count FROM deliveries WHERE payment_id = $1',
          [paymentId],
        ),
      ([delivery]) => delivery?.status === 'delivered',
      'the delivery',
    );
    return row!;
  }

  it('ends between the commit and the POST: the other one sends, once', async () => {
    troubled = await startBuiltService({ ...environment(), FAULT_POINT: 'after-commit' });
    const payment = await preparePayment();
    await expect(submit(troubled, payment)).rejects.toThrow();
    expect(await troubled.stop('SIGKILL')).toBeNull();
    const asked = await healthy.http.get(`/api/v1/payments/${payment.id}`, store.key);
    expect(asked.body['status']).toBe('verified');
    expect(ledger.timesOf(payment.id)).toBe(0);
    expect(await deliveredOf(payment.id)).toMatchObject({ attempt_count: 1 });
    expect(ledger.timesOf(payment.id)).toBe(1);
  });

  it('ends between the POST and writing it down: the other one sends the same again', async () => {
    troubled = await startBuiltService({ ...environment(), FAULT_POINT: 'after-post' });
    const payment = await preparePayment();
    await submit(troubled, payment).catch(() => null);
    expect(await troubled.exited).toBeNull();
    expect(await deliveredOf(payment.id)).toMatchObject({ attempt_count: 1 });
    const sent = ledger.entries.filter(({ paymentId }) => paymentId === payment.id);
    expect(sent).toHaveLength(2);
    expect(sent[1]).toEqual(sent[0]);
  });

  it('stands still past its leases: the other one takes over, and it sends nothing of that when it goes on', async () => {
    // Long enough for six submissions before the first of them would time out.
    troubled = await startBuiltService({ ...environment(), WEBHOOK_TIMEOUT: '3s' });
    const prepared = await Promise.all(Array.from({ length: 6 }, preparePayment));
    // What the troubled one sends gets no answer; two are under way then, and the others wait behind them.
    const first = ledger.entries.length;
    answer = () => undefined;
    await Promise.all(prepared.map((payment) => submit(troubled!, payment)));
    await ledger.waitFor('two under way', () => ledger.entries.length - first >= 2);
    troubled.process.kill('SIGSTOP');
    answer = null;
    for (const { id } of prepared) await deliveredOf(id);
    const before = ledger.entries.length;
    expect(before - first).toBe(8);

    troubled.process.kill('SIGCONT');
    // It is alive again, and what it verifies now is delivered after whatever it had left to do.
    const next = await preparePayment();
    await submit(troubled, next);
    await deliveredOf(next.id);
    for (const { id } of prepared) {
      expect(ledger.timesOf(id)).toBeLessThanOrEqual(2);
      expect((await deliveredOf(id)).status).toBe('delivered');
    }
    expect(ledger.entries).toHaveLength(before + 1);
  });
});
