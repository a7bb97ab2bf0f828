import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../../src/platform/database/index.js';
import {
  Events,
  EventSubscriber,
  type HeardEvent,
  Subscriptions,
} from '../../../src/platform/events/index.js';
import { newId } from '../../../src/kernel/ids.js';
import { appendEvent } from '../../support/events.js';
import { eventually } from '../../support/eventually.js';
import { createStore, signIn, startTestApp, type TestApp, type TestStore } from '../../support/test-app.js';

/*
 * Rules: contract 13.7 to 13.10.
 *
 * Goal: a subscriber hears every event of every store at least once, in order, whether or not the store has a URL;
 * one that fails or is slow holds up nobody but itself (contract 13.7). Method: subscribers are put beside those that
 * the application found; two replicas share one database.
 */

class Listener extends EventSubscriber {
  readonly heard: HeardEvent[] = [];
  constructor(
    readonly name: string,
    private readonly act: (event: HeardEvent) => Promise<void> = () => Promise.resolve(),
    override readonly alsoHears: readonly string[] = [],
  ) {
    super();
  }
  override async handle(event: HeardEvent): Promise<void> {
    await this.act(event);
    this.heard.push(event);
  }
  idsOf(store: TestStore): string[] {
    return this.heard.filter(({ storeId }) => storeId === store.id).map(({ id }) => id);
  }
}

let one: TestApp;
let two: TestApp;
let admin: { Authorization: string };

beforeAll(async () => {
  one = await startTestApp({ writesPastService: true });
  two = await startTestApp({ database: one.database });
  admin = await signIn(one.http);
});
afterAll(async () => {
  await two.close();
  await one.close();
});

const newStore = () => createStore(one.http, admin);
const listen = (subscriber: EventSubscriber, ...apps: TestApp[]) =>
  Promise.all(apps.map(({ app }) => app.get(Subscriptions).add(subscriber)));

async function appended(store: TestStore, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    ids.push((await appendEvent(index % 2 === 0 ? one : two, store.id)).eventId);
  }
  return ids;
}

describe('a subscriber', () => {
  it('hears each event once, in order, of a store without a URL, over two replicas', async () => {
    const listener = new Listener('order');
    await listen(listener, one, two);
    const [store, other] = [await newStore(), await newStore()];
    const [ids, otherIds] = await Promise.all([appended(store, 20), appended(other, 20)]);
    await eventually(
      () => Promise.resolve(listener.heard.length),
      (count) => count >= 40,
      'forty events',
    );
    expect(listener.idsOf(store)).toEqual(ids);
    expect(listener.idsOf(other)).toEqual(otherIds);
  });

  it('hears what was there before it came', async () => {
    const store = await newStore();
    const ids = await appended(store, 3);
    await one.http.get('/api/v1/events', store.key);
    const late = new Listener('late');
    await listen(late, one);
    await eventually(
      () => Promise.resolve(late.idsOf(store)),
      (heard) => heard.length >= 3,
      'old events',
    );
    expect(late.idsOf(store)).toEqual(ids);
  });

  it('is told again what it failed at, before anything later; others and other stores go on', async () => {
    const [stuck, healthy] = [await newStore(), await newStore()];
    let failures = 0;
    const failing = new Listener('failing', ({ storeId }) => {
      if (storeId !== stuck.id || failures >= 2) return Promise.resolve();
      failures += 1;
      return Promise.reject(new Error('not now'));
    });
    const calm = new Listener('calm');
    await listen(failing, one);
    await listen(calm, one);
    const ids = await appended(stuck, 2);
    const healthyIds = await appended(healthy, 2);
    await eventually(
      () => Promise.resolve(calm.idsOf(stuck)),
      (heard) => heard.length >= 2,
      'the other subscriber',
    );
    await eventually(
      () => Promise.resolve(failing.idsOf(healthy)),
      (heard) => heard.length >= 2,
      'the other store',
    );
    expect(failing.idsOf(healthy)).toEqual(healthyIds);
    await eventually(
      () => Promise.resolve(failing.idsOf(stuck)),
      (heard) => heard.length >= 2,
      'the third try',
    );
    expect(failing.idsOf(stuck)).toEqual(ids);
    expect(failures).toBe(2);
  });

  it('that is slow is told of every store in turn, not of the busiest ones first', async () => {
    const busy = await Promise.all(Array.from({ length: 16 }, newStore));
    const quiet = await newStore();
    const slow = new Listener('slow', async ({ storeId }) => {
      if (busy.some(({ id }) => id === storeId)) await new Promise((resolve) => setTimeout(resolve, 100));
    });
    for (const store of busy) await appended(store, 60);
    await listen(slow, one);
    await eventually(
      () => Promise.resolve(busy.every((store) => slow.idsOf(store).length > 0)),
      Boolean,
      'the busy stores',
    );
    const [id] = await appended(quiet, 1);
    await eventually(
      () => Promise.resolve(slow.idsOf(quiet)),
      (heard) => heard.includes(id!),
      'the quiet store',
    );
    // None of the sixteen is through by then.
    expect(busy.map((store) => slow.idsOf(store).length).filter((count) => count === 60)).toEqual([]);
  }, 60_000);

  it('hears an event that stands in no feed only when it asks for it', async () => {
    const curious = new Listener('curious', undefined, ['payment.in_review']);
    const plain = new Listener('plain');
    await listen(curious, one);
    await listen(plain, one);
    const store = await newStore();
    const event = { event: 'payment.in_review', body: '{}', createdAt: new Date(), inFeed: false };
    await one.app
      .get(Database)
      .transaction((tx) =>
        one.app.get(Events).append(tx, { ...event, storeId: store.id, paymentId: null, subjectId: newId() }),
      );
    const [id] = await appended(store, 1);
    await eventually(
      () => Promise.resolve(plain.idsOf(store)),
      (heard) => heard.length >= 1,
      'the event of the feed',
    );
    await eventually(
      () => Promise.resolve(curious.idsOf(store)),
      (heard) => heard.length >= 2,
      'both events',
    );
    expect(plain.idsOf(store)).toEqual([id]);
    expect(
      curious.heard.filter(({ storeId }) => storeId === store.id).map(({ event: name }) => name),
    ).toEqual(['payment.in_review', 'payment.verified']);
    const feed = await one.http.get<{ data: { id: string }[] }>('/api/v1/events', store.key);
    expect(feed.body.data.map((found) => found.id)).toEqual([id]);
    const deliveries = await one.http.get<{ data: unknown[] }>('/api/v1/deliveries', store.key);
    expect(deliveries.body.data).toHaveLength(1);
  });
});
