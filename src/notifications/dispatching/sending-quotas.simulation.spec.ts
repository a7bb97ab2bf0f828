import { describe, expect, it } from 'vitest';
import { type QuotaJob, SendingQuotas, type QuotaStart, type QuotaVerdict, SLOTS } from './sending-quotas.js';

/*
 * Goal: stores that hang, fail, crawl or have a huge backlog do not delay the others. Method: a world with its own
 * clock. Receivers answer after a drawn time; events arrive by a Poisson process and go through `SendingQuotas` as
 * the dispatcher takes them, what is refused waits in a table that a worker reads once a second and whenever a quota
 * asks for more. Everything is drawn from one seed, so a run can be repeated exactly.
 */

const TIMEOUT_MS = 8_000;
const RETRY_MS = 5_000;
const TICK_MS = 1_000;
const MIN_GAP_MS = 10;
const MAX_WAIT_MS = 18_000;

interface Receiver {
  readonly answer: (random: () => number) => { tookMs: number; ok: boolean };
  readonly eventsPerSecond: number;
  readonly backlog?: number;
  /** Its events are not new, but retries that fall due in the table. */
  readonly retries?: boolean;
}

interface Job extends QuotaJob {
  readonly createdAtMs: number;
  takenAtMs: number;
  startedAtMs: number | null;
  state: 'table' | 'quota' | 'flight' | 'done';
}

const healthy = (eventsPerSecond: number, backlog = 0): Receiver => ({
  answer: (random) => ({ tookMs: 1 + 9 * random(), ok: true }),
  eventsPerSecond,
  backlog,
});
const hung = (eventsPerSecond: number, backlog = 0): Receiver => ({
  answer: () => ({ tookMs: TIMEOUT_MS, ok: false }),
  eventsPerSecond,
  backlog,
});
const crawling = (eventsPerSecond: number): Receiver => ({
  answer: (random) => ({ tookMs: 2_000 + 4_000 * random(), ok: true }),
  eventsPerSecond,
});
const refusing = (eventsPerSecond: number, backlog = 0): Receiver => ({
  answer: (random) => ({ tookMs: 1 + random(), ok: false }),
  eventsPerSecond,
  backlog,
});
const flaky = (eventsPerSecond: number): Receiver => ({
  answer: (random) => (random() < 0.3 ? { tookMs: 20, ok: false } : { tookMs: 20, ok: true }),
  eventsPerSecond,
});

const times = (count: number, receiver: Receiver): Receiver[] =>
  Array.from({ length: count }, () => receiver);

/** Names in the order of their numbers, as the table walks over them. */
const nameOf = (store: number): string => String(store).padStart(6, '0');

class World {
  private nowMs = 0;
  private readonly random: () => number;
  private readonly agenda = new Agenda();
  private readonly table = new Map<string, Job[]>();
  private readonly quotas: SendingQuotas<Job>;
  private readonly jobs: Job[] = [];
  private askAgainAtMs = Number.POSITIVE_INFINITY;
  private lastAskedAtMs = Number.NEGATIVE_INFINITY;
  private after: string | null = null;
  private readonly starts = new Map<Receiver, number>();
  mostInFlight = 0;

  constructor(
    private readonly receivers: readonly Receiver[],
    seed: number,
  ) {
    this.random = mulberry32(seed);
    this.quotas = new SendingQuotas<Job>(
      () => this.nowMs,
      () => this.random(),
    );
    receivers.forEach((receiver, index) => {
      this.table.set(nameOf(index), []);
      for (let count = 0; count < (receiver.backlog ?? 0); count += 1) this.toTable(this.newJob(index));
      this.scheduleArrival(index);
    });
    this.agenda.at(0, () => this.tick());
  }

  run(untilMs: number): this {
    for (;;) {
      const next = this.agenda.next(untilMs);
      if (next === null) return this;
      this.nowMs = next.atMs;
      next.action();
      this.pump();
      this.mostInFlight = Math.max(this.mostInFlight, this.quotas.inFlight);
    }
  }

  /** Milliseconds from creation to the first start, of new events of receivers like that one, ascending. */
  delaysOf(receiver: Receiver, fromMs = 0, untilMs = Number.POSITIVE_INFINITY): number[] {
    return this.jobs
      .filter(({ storeId }) => this.receivers[Number(storeId)] === receiver)
      .filter(({ createdAtMs }) => createdAtMs > fromMs && createdAtMs <= untilMs)
      .map(({ createdAtMs, startedAtMs }) => (startedAtMs ?? Number.POSITIVE_INFINITY) - createdAtMs)
      .sort((left, right) => left - right);
  }

  /** Jobs of receivers like that one that have been delivered. */
  doneOf(receiver: Receiver): number {
    return this.jobs.filter(
      ({ storeId, state }) => state === 'done' && this.receivers[Number(storeId)] === receiver,
    ).length;
  }

  /** Exchanges begun with receivers like that one. */
  startsOf(receiver: Receiver): number {
    return this.starts.get(receiver) ?? 0;
  }

  /** Every job is in exactly one place, and the quotas know of as many as are with them. */
  expectNothingLost(): void {
    const count = (state: Job['state']) => this.jobs.filter((job) => job.state === state).length;
    expect(count('quota')).toBe(this.quotas.waiting);
    expect(count('flight')).toBe(this.quotas.inFlight);
    const inTable = [...this.table.values()].reduce((sum, rows) => sum + rows.length, 0);
    expect(count('table') - this.agenda.retries).toBe(inTable);
  }

  private newJob(store: number): Job {
    const job: Job = {
      storeId: nameOf(store),
      bytes: 500,
      createdAtMs: this.nowMs,
      takenAtMs: 0,
      startedAtMs: null,
      state: 'table',
    };
    this.jobs.push(job);
    return job;
  }

  private scheduleArrival(store: number): void {
    const { eventsPerSecond } = this.receivers[store]!;
    if (eventsPerSecond === 0) return;
    const waitMs = (-Math.log(1 - this.random()) * 1_000) / eventsPerSecond;
    this.agenda.at(this.nowMs + waitMs, () => {
      this.scheduleArrival(store);
      const job = this.newJob(store);
      const isFresh = this.receivers[store]!.retries !== true;
      if (isFresh && this.toQuota(job, 'fresh')) return;
      this.toTable(job);
      // The worker knows when something falls due; what finds no room is announced after its commit.
      if (!isFresh || this.quotas.left(job.storeId)) this.askAt(this.nowMs);
    });
  }

  private toQuota(job: Job, kind: 'fresh' | 'backlog'): boolean {
    if (!this.quotas.add(job, kind)) return false;
    move(job, 'table', 'quota');
    job.takenAtMs = this.nowMs;
    return true;
  }

  private toTable(job: Job): void {
    job.state = 'table';
    this.table.get(job.storeId)!.push(job);
  }

  private pump(): void {
    for (let start = this.quotas.next(); start !== null; start = this.quotas.next()) this.send(start);
  }

  private send(start: QuotaStart<Job>): void {
    const { job } = start;
    move(job, 'quota', 'flight');
    if (this.nowMs - job.takenAtMs > MAX_WAIT_MS) {
      this.finish(start, 'none', 0);
      this.toTable(job);
      return;
    }
    job.startedAtMs ??= this.nowMs;
    const receiver = this.receivers[Number(job.storeId)]!;
    this.starts.set(receiver, this.startsOf(receiver) + 1);
    const { tookMs, ok } = receiver.answer(this.random);
    this.agenda.at(this.nowMs + tookMs, () => {
      this.finish(start, ok ? 'success' : 'failure', tookMs);
      job.state = ok ? 'done' : 'table';
      if (ok) return;
      this.agenda.retries += 1;
      this.agenda.at(this.nowMs + RETRY_MS, () => {
        this.agenda.retries -= 1;
        this.toTable(job);
      });
    });
  }

  private finish(start: QuotaStart<Job>, verdict: QuotaVerdict, tookMs: number): void {
    const { handedBack, wantsMore } = this.quotas.finish(start, verdict, tookMs);
    for (const job of handedBack) this.toTable(job);
    if (wantsMore) this.askAt(this.nowMs);
  }

  private tick(): void {
    this.agenda.at(this.nowMs + TICK_MS, () => this.tick());
    this.askAt(this.nowMs);
  }

  private askAt(wantedAtMs: number): void {
    const atMs = Math.max(wantedAtMs, this.lastAskedAtMs + MIN_GAP_MS);
    if (atMs >= this.askAgainAtMs) return;
    this.askAgainAtMs = atMs;
    this.agenda.at(atMs, () => {
      if (this.askAgainAtMs === atMs) this.ask();
    });
  }

  /** One claim, as from the table: over the stores behind the last one of the claim before, or from the first. */
  private ask(): void {
    this.askAgainAtMs = Number.POSITIVE_INFINITY;
    this.lastAskedAtMs = this.nowMs;
    const plan = this.quotas.plan();
    const counts = new Map<string, number>();
    let left = plan.total;
    const { after } = this;
    let through: string | null = null;
    for (const storeId of this.table.keys()) {
      if (after !== null && storeId <= after) continue;
      const room = Math.min(left, plan.rooms.get(storeId) ?? plan.defaultRoom);
      const rows = this.table.get(storeId)!.splice(0, room);
      if (rows.length > 0) counts.set(storeId, rows.length);
      left -= rows.length;
      for (const job of rows) if (!this.toQuota(job, 'backlog')) this.toTable(job);
      through = left === 0 ? storeId : null;
      if (left === 0) break;
    }
    if (plan.total > 0) this.after = through;
    this.quotas.planned(plan, counts, { after, through });
    if (plan.total > 0 && (through !== null || after !== null)) this.askAt(this.nowMs);
    const reopensAtMs = this.quotas.nextReopeningAtMs();
    if (reopensAtMs !== null) this.askAt(reopensAtMs);
  }
}

/** Events by their time: a binary heap. */
class Agenda {
  private readonly heap: { atMs: number; order: number; action: () => void }[] = [];
  private order = 0;
  retries = 0;

  at(atMs: number, action: () => void): void {
    this.order += 1;
    this.heap.push({ atMs, order: this.order, action });
    let index = this.heap.length - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.before(index, parent)) return;
      this.swap(index, parent);
      index = parent;
    }
  }

  next(untilMs: number): { atMs: number; action: () => void } | null {
    const [first] = this.heap;
    if (first === undefined || first.atMs > untilMs) return null;
    const last = this.heap.pop()!;
    if (this.heap.length > 0) {
      this.heap[0] = last;
      this.sink();
    }
    return first;
  }

  private sink(): void {
    for (let index = 0; ;) {
      const left = 2 * index + 1;
      let least = index;
      for (const child of [left, left + 1]) {
        if (child < this.heap.length && this.before(child, least)) least = child;
      }
      if (least === index) return;
      this.swap(index, least);
      index = least;
    }
  }

  private before(left: number, right: number): boolean {
    const [a, b] = [this.heap[left]!, this.heap[right]!];
    return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
  }

  private swap(left: number, right: number): void {
    [this.heap[left], this.heap[right]] = [this.heap[right]!, this.heap[left]!];
  }
}

function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** `expect` costs too much for every one of millions of steps. */
function move(job: Job, from: Job['state'], to: Job['state']): void {
  if (job.state !== from) throw new Error(`A job went to ${to} that was not in ${from}, but in ${job.state}`);
  job.state = to;
}

const good = healthy(2);

function simulate(receivers: readonly Receiver[], seed: number, untilMs: number): World {
  const world = new World(receivers, seed).run(untilMs);
  world.expectNothingLost();
  expect(world.mostInFlight).toBeLessThanOrEqual(SLOTS);
  return world;
}

function expectPrompt(delaysMs: readonly number[], least: number, p99Ms = 10, worstMs = 1_000): void {
  expect(delaysMs.length).toBeGreaterThan(least);
  expect(percentile(delaysMs, 0.99)).toBeLessThan(p99Ms);
  expect(delaysMs.at(-1)).toBeLessThan(worstMs);
}

describe('SendingQuotas, simulated', () => {
  it.each([1, 2, 3])(
    'sends every event of 99 healthy stores at once beside 200 hung ones (seed %i)',
    (seed) => {
      const world = simulate([...times(99, good), ...times(200, hung(2))], seed, 30_000);
      expectPrompt(world.delaysOf(good), 5_000);
    },
  );

  it('does so when the hung stores have 150,000 deliveries due', () => {
    const world = simulate([...times(100, good), ...times(300, hung(5, 500))], 4, 30_000);
    expectPrompt(world.delaysOf(good), 5_000);
  });

  it('recovers from a thousand hung stores as soon as their first exchanges have ended', () => {
    const world = simulate([...times(100, good), ...times(1_000, hung(2))], 5, 45_000);
    expectPrompt(world.delaysOf(good, 2 * TIMEOUT_MS), 5_000);
  });

  it('is not slowed down by stores that answer, but crawl', () => {
    const world = simulate([...times(100, good), ...times(300, crawling(2))], 6, 30_000);
    expectPrompt(world.delaysOf(good), 5_000);
  });

  it('is not slowed down by stores that refuse, or fail now and then', () => {
    const world = simulate(
      [...times(100, good), ...times(300, refusing(2, 100)), ...times(50, flaky(5))],
      7,
      20_000,
    );
    expectPrompt(world.delaysOf(good), 3_000);
  });

  it('drains a backlog of 100,000 beside the new events of others', () => {
    const recovering = healthy(0, 100_000);
    const world = simulate([...times(100, good), recovering], 8, 20_000);
    expectPrompt(world.delaysOf(good), 3_000);
    expect(world.doneOf(recovering)).toBeGreaterThan(90_000);
  });

  it.each([
    [20, 20_000],
    [150, 2_000],
  ])("drains the backlogs of %i stores, %i each, beside everybody's new events", (stores, backlog) => {
    const answer: Receiver['answer'] = (random) => ({ tookMs: 50 + 100 * random(), ok: true });
    const recovering: Receiver = { answer, eventsPerSecond: 0, backlog };
    // Its own new events go before its backlog, too.
    const busy: Receiver = { answer, eventsPerSecond: 2, backlog };
    const retrying: Receiver = { ...healthy(1), retries: true };
    const receivers = [
      ...times(100, good),
      ...times(stores - 10, recovering),
      ...times(10, busy),
      ...times(20, retrying),
    ];
    const world = simulate(receivers, 11, 21_000);
    expectPrompt(world.delaysOf(good, 0, 20_000), 3_000);
    expectPrompt(world.delaysOf(retrying, 0, 20_000), 300, 250);
    expectPrompt(world.delaysOf(busy, 0, 20_000), 300, 250);
    // All slots are used: 1,024 exchanges at a time, 10 a second each.
    expect(world.doneOf(recovering) + world.doneOf(busy)).toBeGreaterThan(190_000);
  });

  it('sends 2,000 events a second to one healthy store beside hung ones', () => {
    const busy = healthy(2_000);
    const world = simulate([...times(100, good), ...times(100, hung(2)), busy], 9, 10_000);
    expectPrompt(world.delaysOf(busy), 15_000);
    expectPrompt(world.delaysOf(good), 1_500);
  });

  it('keeps asking a hung store, with one exchange at a time', () => {
    const waiting = hung(0, 50);
    const world = simulate([waiting], 10, 300_000);
    const started = world.startsOf(waiting);
    expect(started).toBeGreaterThanOrEqual(6);
    expect(started).toBeLessThan(30);
    expect(world.mostInFlight).toBe(2);
  });
});
