/*
 * A load test from outside, for one's own installation: how many payments a second it creates, reads and brings from
 * the payer's entry to the webhook, and how long each takes. Over HTTP alone; nothing of the service is imported.
 *
 * npm run load                                               on a service of its own, on an empty database JOMA_URL=…
 * ADMIN_EMAIL=… ADMIN_PASSWORD=… npm run load     on one that runs already, in a store made for it npm run load --
 * --connections 1,8,32 --seconds 5 --plot load.svg
 *
 * The payments stay where they were made; the store is archived at the end. Not for an installation that users pay
 * at.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { messageOf } from '../../kernel/error-text.js';
import { ApiClient } from '../demo/demo-client.js';
import { type DemoService, serviceAt, startOwnService } from '../demo/demo-service.js';
import { LoadMerchant } from './load-merchant.js';
import { type LoadResult, percentile, plotOf, summarise, tableOf } from './load-report.js';

const MAX_CONNECTIONS = 1_000;
const MAX_SECONDS = 3_600;
const AMOUNT = 500;
/** How long webhooks of the last payments are waited for. */
const WEBHOOKS_TIMEOUT_MS = 10_000;

interface Options {
  readonly connections: readonly number[];
  readonly seconds: number;
  readonly plot: string;
}

interface Store {
  readonly id: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
}

interface Answer {
  readonly status: number;
  readonly body: { readonly id?: string; readonly status?: string };
}

/** One piece of work. @throws Error with what else was answered */
type Work = () => Promise<void>;

/** Sends requests over as many connections as there are callers. */
class Caller {
  private readonly pool: Pool;

  constructor(
    private readonly service: DemoService,
    private readonly store: Store,
    private readonly merchant: LoadMerchant | null,
    connections: number,
  ) {
    this.pool = new Pool(service.url, { connections, pipelining: 1 });
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  async create(): Promise<string> {
    const { body } = await this.post('/api/v1/payments', { amount: AMOUNT, note: 'Load test' }, 201, {
      'x-api-key': this.store.apiKey,
    });
    return body.id ?? '';
  }

  async read(id: string): Promise<void> {
    await this.send('GET', `/api/v1/payments/public/${id}`, undefined, 200, {});
  }

  /** A payment is created, the payer types its TrxID, the phone forwards the message: verified. */
  async pay(): Promise<void> {
    const id = await this.create();
    const trxId = `L${BigInt(`0x${randomBytes(6).toString('hex')}`)
      .toString(36)
      .toUpperCase()
      .padStart(9, '0')
      .slice(-9)}`;
    await this.post(`/api/v1/payments/public/${id}/verify`, { trxId }, 202, {});
    const receipt = { app: 'load', kind: 'received', provider: 'bkash', trxId, amount: AMOUNT };
    const more = { counterparty: '01700000002', receivedAt: new Date().toISOString() };
    this.merchant?.expect(id);
    const { body } = await this.post(`/api/webhooks/${this.service.name}`, { ...receipt, ...more }, 200, {
      'x-webhook-secret': this.store.webhookSecret,
    });
    this.merchant?.answered(id);
    if (body.status !== 'matched') throw new Error(`a receipt that is ${String(body.status)}`);
  }

  private post(
    path: string,
    body: unknown,
    wanted: number,
    headers: Record<string, string>,
  ): Promise<Answer> {
    const type = { 'content-type': 'application/json' };
    return this.send('POST', path, JSON.stringify(body), wanted, { ...type, ...headers });
  }

  private async send(
    method: 'GET' | 'POST',
    path: string,
    body: string | undefined,
    wanted: number,
    headers: Record<string, string>,
  ): Promise<Answer> {
    const answer = await this.pool.request({ method, path, body, headers });
    const text = await answer.body.text();
    if (answer.statusCode !== wanted) throw new Error(String(answer.statusCode));
    return { status: answer.statusCode, body: JSON.parse(text) as Answer['body'] };
  }
}

/** Repeats the work with so many callers at the same time, for so long. */
async function measure(
  name: string,
  connections: number,
  seconds: number,
  work: Work,
  progress: Progress,
): Promise<LoadResult> {
  const timesMs: number[] = [];
  const failures: Record<string, number> = {};
  const startedAtMs = performance.now();
  const endsAtMs = startedAtMs + seconds * 1_000;
  const caller = async (): Promise<void> => {
    while (performance.now() < endsAtMs) {
      const sentAtMs = performance.now();
      try {
        await work();
        timesMs.push(performance.now() - sentAtMs);
      } catch (error) {
        const what = (error as NodeJS.ErrnoException).code ?? messageOf(error);
        failures[what] = (failures[what] ?? 0) + 1;
      }
      progress.show(name, connections, (performance.now() - startedAtMs) / (seconds * 1_000));
    }
  };
  await Promise.all(Array.from({ length: connections }, caller));
  progress.next();
  return summarise(name, connections, (performance.now() - startedAtMs) / 1_000, timesMs, failures);
}

/** A bar on a terminal; elsewhere a line for each step. */
class Progress {
  private done = 0;
  private shownAtMs = 0;

  constructor(private readonly steps: number) {}

  show(name: string, connections: number, share: number): void {
    if (!process.stderr.isTTY || performance.now() - this.shownAtMs < 100) return;
    this.shownAtMs = performance.now();
    const whole = (this.done + Math.min(1, share)) / this.steps;
    const bar = '█'.repeat(Math.round(whole * 30)).padEnd(30, '░');
    process.stderr.write(`\r${bar} ${Math.round(whole * 100)} %  ${name}, ${connections} at once\u001b[K`);
  }

  next(): void {
    this.done += 1;
    if (!process.stderr.isTTY) process.stderr.write(`${this.done} of ${this.steps} steps\n`);
    else if (this.done === this.steps) process.stderr.write('\r\u001b[K');
  }
}

async function run(service: DemoService, merchant: LoadMerchant, options: Options): Promise<void> {
  await service.ready();
  const api = new ApiClient(service.url);
  const login = { email: service.adminEmail, password: service.adminPassword };
  const { accessToken } = await api.post<{ accessToken: string }>('/api/v1/auth/login', login);
  const admin = { Authorization: `Bearer ${accessToken}` };
  const wallets = [
    { provider: 'bkash', number: `017${String(Date.now()).slice(-8)}`, accountType: 'personal' },
  ];
  const body = { name: 'Load test', wallets };
  const withWebhooks = await api
    .post<Store>('/api/v1/stores', { ...body, webhookUrl: merchant.url }, admin)
    // A production service calls no private address; then the webhooks are left out.
    .catch(() => null);
  const store = withWebhooks ?? (await api.post<Store>('/api/v1/stores', body, admin));
  try {
    const results = await measureAll(service, store, withWebhooks === null ? null : merchant, options);
    publish(service, results, options);
    await tellWebhooks(withWebhooks === null ? null : merchant);
  } finally {
    await api.delete(`/api/v1/stores/${store.id}`, admin);
  }
}

async function measureAll(
  service: DemoService,
  store: Store,
  merchant: LoadMerchant | null,
  { connections, seconds }: Options,
): Promise<LoadResult[]> {
  const progress = new Progress(connections.length * 3);
  const results: LoadResult[] = [];
  for (const count of connections) {
    const caller = new Caller(service, store, merchant, count);
    const id = await caller.create();
    const steps: [string, Work][] = [
      ['create a payment', async () => void (await caller.create())],
      ['read it (payer)', () => caller.read(id)],
      ['create, enter, verify', () => caller.pay()],
    ];
    for (const [name, work] of steps) results.push(await measure(name, count, seconds, work, progress));
    await caller.close();
  }
  return results.sort(
    (one, other) => one.name.localeCompare(other.name, 'en') || one.connections - other.connections,
  );
}

function publish(service: DemoService, results: readonly LoadResult[], { plot, seconds }: Options): void {
  say(`\n${tableOf(results)}\n`);
  if (results.some(({ failures }) => failures['429'] !== undefined))
    say('429: RATE_LIMIT_PUBLIC counts what comes from one address; this machine is one payer to it.');
  mkdirSync(dirname(plot), { recursive: true });
  writeFileSync(plot, plotOf(results, `Joma at ${new URL(service.url).host}, ${seconds} s each`));
  say(`The plot is in ${plot}.`);
}

async function tellWebhooks(merchant: LoadMerchant | null): Promise<void> {
  if (merchant === null) return say('Webhooks were not measured: the service calls no private address.');
  const { waitsMs, expected } = await merchant.settled(WEBHOOKS_TIMEOUT_MS);
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(waitsMs, share).toFixed(1));
  say(`Webhooks: ${waitsMs.length} of ${expected} came; answer to webhook p50 ${p50} ms, p99 ${p99} ms.`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** @throws Error in one line when an option is wrong */
function readOptions(words: string[]): Options {
  const { values } = parseArgs({
    args: words,
    options: {
      connections: { type: 'string', default: '1,8,32' },
      seconds: { type: 'string', default: '5' },
      plot: { type: 'string', default: '.artifacts/load.svg' },
    },
  });
  const connections = values.connections.split(',').map(Number);
  const areNumbers = connections.every(
    (count) => Number.isInteger(count) && count >= 1 && count <= MAX_CONNECTIONS,
  );
  if (!areNumbers)
    throw new Error(`--connections wants whole numbers up to ${MAX_CONNECTIONS}, such as 1,8,32`);
  const seconds = Number(values.seconds);
  if (!(seconds > 0 && seconds <= MAX_SECONDS))
    throw new Error(`--seconds wants a number up to ${MAX_SECONDS}`);
  return {
    connections: [...new Set(connections)].sort((one, other) => one - other),
    seconds,
    plot: values.plot,
  };
}

export async function load(arguments_: readonly string[]): Promise<void> {
  const options = readOptions([...arguments_]);
  const { JOMA_URL: jomaUrl } = process.env;
  if (!jomaUrl) say('Joma starts, on an empty database in a temporary folder.');
  const merchant = await LoadMerchant.start();
  const unlimited = { RATE_LIMIT_PUBLIC: 'off' };
  const service = jomaUrl ? serviceAt(jomaUrl, process.env) : await startOwnService(unlimited);
  const stopped = new Promise<never>((_resolve, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => reject(new Error(`it was stopped by ${signal}`)));
  });
  try {
    await Promise.race([run(service, merchant, options), stopped]);
  } finally {
    await merchant.close();
    await service.stop();
  }
}
