import { beforeEach, describe, expect, it } from 'vitest';
import {
  type QuotaJob,
  type QuotaKind,
  SendingQuotas,
  type QuotaStart,
  type QuotaVerdict,
  SLOTS,
} from './sending-quotas.js';

interface Job extends QuotaJob {
  readonly name: string;
}

let nowMs: number;
let quotas: SendingQuotas<Job>;

const newQuotas = (): SendingQuotas<Job> =>
  new SendingQuotas<Job>(
    () => nowMs,
    () => 0,
  );

beforeEach(() => {
  nowMs = 0;
  quotas = newQuotas();
});

const job = (storeId: string, name = '', bytes = 100): Job => ({ storeId, name, bytes });

function addMany(storeId: string, count: number, kind: QuotaKind = 'fresh'): number {
  let added = 0;
  while (added < count && quotas.add(job(storeId, String(added)), kind)) added += 1;
  return added;
}

function startAll(): QuotaStart<Job>[] {
  const starts: QuotaStart<Job>[] = [];
  for (let start = quotas.next(); start !== null; start = quotas.next()) starts.push(start);
  return starts;
}

function finishAll(starts: readonly QuotaStart<Job>[], verdict: QuotaVerdict, tookMs: number): Job[] {
  nowMs += tookMs;
  return starts.flatMap((start) => quotas.finish(start, verdict, tookMs).handedBack);
}

const EVERYWHERE = { after: null, through: null } as const;

/** Sends one job of the store and says how it went. */
function attempt(storeId: string, verdict: QuotaVerdict, tookMs: number): Job[] {
  expect(quotas.add(job(storeId), 'fresh')).toBe(true);
  return finishAll([quotas.next()!], verdict, tookMs);
}

/** Makes a store known as one that answers, at full speed. */
function makeBrisk(storeId: string, tookMs = 5): void {
  for (let count = 0; count < 6; count += 1) attempt(storeId, 'success', tookMs);
}

describe('SendingQuotas: speed of one store', () => {
  it('starts with two exchanges and doubles with every success, up to 64', () => {
    const sizes: number[] = [];
    const pending: QuotaStart<Job>[] = [];
    for (let round = 0; round < 8; round += 1) {
      addMany('a', 64);
      pending.push(...startAll());
      sizes.push(quotas.inFlight);
      nowMs += 5;
      // One answer at a time is heard; the others are still under way.
      quotas.finish(pending.pop()!, 'success', 5);
    }
    expect(sizes).toEqual([2, 4, 8, 16, 32, 64, 64, 64]);
  });

  it('drops to one exchange with a failure', () => {
    makeBrisk('a');
    attempt('a', 'failure', 5);
    addMany('a', 4);
    expect(startAll()).toHaveLength(1);
  });

  it('gives a store that answers slowly at most eight', () => {
    for (let count = 0; count < 6; count += 1) attempt('a', 'success', 3_000);
    addMany('a', 300);
    addMany('a', 300);
    expect(startAll()).toHaveLength(8);
  });

  it('learns nothing when nothing was sent', () => {
    makeBrisk('a');
    for (let count = 0; count < 10; count += 1) attempt('a', 'none', 0);
    addMany('a', 100);
    expect(startAll()).toHaveLength(64);
  });
});

describe('SendingQuotas: breaker', () => {
  it('opens after three failures in a row and hands back what waits', () => {
    addMany('a', 6);
    const first = startAll();
    expect(finishAll(first, 'failure', 8_000)).toEqual([]);
    const third = startAll();
    expect(third).toHaveLength(1);
    expect(finishAll(third, 'failure', 8_000).map(({ name }) => name)).toEqual(['3', '4', '5']);
    expect(quotas.openBreakers).toBe(1);
    expect(quotas.admits('a')).toBe(false);
    expect(quotas.plan().rooms.get('a')).toBe(0);
  });

  it('rests in proportion to what the failure cost, and longer each time', () => {
    const rests: number[] = [];
    for (let count = 0; count < 2; count += 1) attempt('a', 'failure', 8_000);
    for (let count = 0; count < 5; count += 1) {
      attempt('a', 'failure', 8_000);
      rests.push(quotas.nextReopeningAtMs()! - nowMs);
      nowMs = quotas.nextReopeningAtMs()!;
    }
    expect(rests).toEqual([8_000, 16_000, 32_000, 60_000, 60_000]);
  });

  it('asks a receiver that refuses at once again soon', () => {
    const rests: number[] = [];
    for (let count = 0; count < 2; count += 1) attempt('a', 'failure', 1);
    for (let count = 0; count < 7; count += 1) {
      attempt('a', 'failure', 1);
      rests.push(quotas.nextReopeningAtMs()! - nowMs);
      nowMs = quotas.nextReopeningAtMs()!;
    }
    expect(rests).toEqual([5, 10, 20, 40, 50, 50, 50]);
  });

  it('lets one probe through, and closes when it succeeds', () => {
    for (let count = 0; count < 3; count += 1) attempt('a', 'failure', 8_000);
    nowMs = quotas.nextReopeningAtMs()!;
    expect(quotas.plan().rooms.get('a')).toBe(1);
    expect(addMany('a', 5)).toBe(1);
    const probe = startAll();
    expect(quotas.admits('a')).toBe(false);
    finishAll(probe, 'success', 5);
    expect(quotas.openBreakers).toBe(0);
    addMany('a', 5);
    expect(startAll()).toHaveLength(2);
  });

  it('does not count exchanges that were under way when it opened as failed probes', () => {
    makeBrisk('a');
    addMany('a', 64);
    const starts = startAll();
    finishAll(starts, 'failure', 8_000);
    expect(quotas.nextReopeningAtMs()! - nowMs).toBe(8_000);
  });

  it('asks the table again when there is room for a store that was left out', () => {
    addMany('a', 2);
    const [first, second] = startAll();
    expect(quotas.plan().rooms.get('a')).toBe(0);
    quotas.planned(quotas.plan(), new Map(), EVERYWHERE);
    expect(quotas.finish(first!, 'success', 5).wantsMore).toBe(true);
    quotas.planned(quotas.plan(), new Map(), EVERYWHERE);
    expect(quotas.finish(second!, 'success', 5).wantsMore).toBe(false);
  });

  it('asks again for a store that got all it had room for, or at which the plan was used up', () => {
    for (const storeId of ['a', 'b', 'c', 'd']) makeBrisk(storeId);
    for (const storeId of ['a', 'b', 'c', 'd']) addMany(storeId, 1, 'backlog');
    const plan = { total: 10, defaultRoom: 2, rooms: new Map([['a', 5]]) };
    const counts = new Map(Object.entries({ a: 5, b: 1, c: 4 }));
    quotas.planned({ ...plan, rooms: new Map([...plan.rooms, ['c', 100]]) }, counts, {
      after: null,
      through: 'c',
    });
    const wants = startAll().map((start) => [
      start.job.storeId,
      quotas.finish(start, 'success', 5).wantsMore,
    ]);
    expect(Object.fromEntries(wants)).toEqual({ a: true, b: false, c: true, d: false });
  });

  it('remembers that a store may have more while others are looked at', () => {
    makeBrisk('a');
    makeBrisk('b');
    addMany('a', 1, 'backlog');
    const plan = { total: 2, defaultRoom: 2, rooms: new Map() };
    quotas.planned(plan, new Map([['a', 2]]), { after: null, through: 'a' });
    quotas.planned(plan, new Map(), { after: 'a', through: null });
    expect(quotas.finish(startAll()[0]!, 'success', 5).wantsMore).toBe(true);
  });
});

describe('SendingQuotas: between stores', () => {
  it('gives every store its turn', () => {
    for (const storeId of ['a', 'b', 'c']) makeBrisk(storeId);
    for (const storeId of ['a', 'b', 'c']) addMany(storeId, 3);
    const order = startAll().map((start) => start.job.storeId);
    expect(order).toEqual(['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b', 'c']);
  });

  it('sends new events before the backlog, which still moves on', () => {
    makeBrisk('a');
    for (let count = 0; count < 8; count += 1) quotas.add(job('a', 'old'), 'backlog');
    for (let count = 0; count < 24; count += 1) quotas.add(job('a', 'new'), 'fresh');
    const first = startAll()
      .slice(0, 24)
      .map((start) => start.job.name);
    expect(first.filter((name) => name === 'old')).toHaveLength(3);
  });

  it('keeps slots for the stores that answer, whatever the others do', () => {
    makeBrisk('good');
    for (let store = 0; store < 3_000; store += 1) addMany(`unknown-${store}`, 2);
    const taken = startAll();
    expect(taken.length).toBeLessThan(SLOTS);
    addMany('good', 10);
    expect(startAll().map((start) => start.job.storeId)).toEqual(Array.from({ length: 10 }, () => 'good'));
  });

  it('never has more exchanges than slots', () => {
    for (let store = 0; store < 100; store += 1) makeBrisk(`store-${store}`);
    for (let store = 0; store < 100; store += 1) addMany(`store-${store}`, 64);
    expect(startAll()).toHaveLength(SLOTS);
    expect(quotas.inFlight).toBe(SLOTS);
  });
});

describe('SendingQuotas: memory', () => {
  it('lets stores that answer wait in memory, and others hardly', () => {
    makeBrisk('good');
    attempt('failing', 'failure', 5);
    expect(addMany('good', 2_000)).toBe(1_024);
    expect(addMany('unknown', 1_000)).toBe(8);
    expect(addMany('failing', 1_000)).toBe(4);
  });

  it.each([
    [900, 142],
    [200, 640],
    [20, 1_024],
  ])('keeps no more of a store than it takes within two seconds, at %i ms each', (tookMs, jobs) => {
    makeBrisk('good', tookMs);
    expect(addMany('good', 2_000)).toBe(jobs);
  });

  it('is bounded over all stores, in jobs and in bytes', () => {
    makeBrisk('good');
    for (let store = 0; store < 2_000; store += 1) addMany(`unknown-${store}`, 8);
    expect(quotas.waiting).toBe(6_144);
    expect(addMany('good', 2_000)).toBe(1_024);
    const big = new SendingQuotas<Job>(
      () => 0,
      () => 0,
    );
    let bytes = 0;
    for (let store = 0; store < 1_000; store += 1) {
      if (big.add(job(`store-${store}`, '', 1024 * 1024), 'fresh')) bytes += 1024 * 1024;
    }
    expect(bytes).toBe(48 * 1024 * 1024);
  });

  it('keeps room for new events while backlogs wait, and for backlogs while new events do', () => {
    const stores = Array.from({ length: 20 }, (_, index) => `store-${index}`);
    for (const store of stores) makeBrisk(store);
    for (const store of stores) addMany(store, 2_000, 'backlog');
    expect(quotas.waiting).toBe(6_144);
    expect(quotas.plan().total).toBe(0);
    expect(quotas.admits('store-0')).toBe(true);
    expect(addMany('store-0', 2_000) + addMany('store-1', 2_000)).toBe(2_048);
    quotas = newQuotas();
    for (const store of stores) makeBrisk(store);
    for (const store of stores) addMany(store, 2_000);
    expect(quotas.waiting).toBe(7_168);
    expect(quotas.plan().total).toBe(1_024);
  });

  it('shares what backlogs may take between the stores that have one', () => {
    const stores = Array.from({ length: 60 }, (_, index) => `store-${index}`);
    for (const store of stores) makeBrisk(store);
    quotas.planned(quotas.plan(), new Map(stores.map((store) => [store, 1_024])), EVERYWHERE);
    expect(new Set(quotas.plan().rooms.values())).toEqual(new Set([17]));
  });

  it('asks at once for what the table has got, where there is room, else when there is', () => {
    expect(quotas.left('a')).toBe(true);
    addMany('a', 2);
    const plan = quotas.plan();
    expect(quotas.left('a')).toBe(false);
    // The deliveries of that plan may be from before.
    quotas.planned(plan, new Map(), EVERYWHERE);
    const [first, second] = startAll();
    expect(quotas.finish(first!, 'success', 5).wantsMore).toBe(true);
    quotas.planned(quotas.plan(), new Map(), EVERYWHERE);
    expect(quotas.finish(second!, 'success', 5).wantsMore).toBe(false);
  });

  it('takes no more from the table than it can hold', () => {
    expect(quotas.plan().total).toBe(1_024);
    for (let store = 0; store < 2_000; store += 1) addMany(`unknown-${store}`, 8);
    expect(quotas.plan().total).toBe(0);
  });

  it('forgets idle stores before it knows too many', () => {
    for (let store = 0; store < 20_000; store += 1) quotas.admits(`store-${store}`);
    quotas.add(job('busy'), 'fresh');
    for (let store = 0; store < 20_000; store += 1) quotas.admits(`other-${store}`);
    expect(quotas.waiting).toBe(1);
    expect(startAll().map((start) => start.job.storeId)).toEqual(['busy']);
  });

  it('gives out everything that waits when it closes, and takes nothing in any more', () => {
    makeBrisk('a');
    addMany('a', 100);
    const starts = startAll();
    expect(starts).toHaveLength(64);
    expect(quotas.close()).toHaveLength(36);
    expect(quotas.waiting).toBe(0);
    expect(quotas.add(job('a'), 'fresh')).toBe(false);
    expect(quotas.plan().total).toBe(0);
    finishAll(starts, 'success', 5);
    expect(quotas.inFlight).toBe(0);
    expect(quotas.next()).toBeNull();
  });
});
