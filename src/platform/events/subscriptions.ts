import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { messageOf } from '../../kernel/error-text.js';
import { newId } from '../../kernel/ids.js';
import { SingleRun } from '../../kernel/single-run.js';
import { Events } from './events.js';
import { EventSubscriber } from './event-subscriber.js';
import { Ports } from './ports.js';
import { FeedRepository } from './feed.repository.js';
import { type Hold, SubscribersRepository } from './subscribers.repository.js';

const TICK_MS = 1_000;
/** The leases of a dead process are taken over after so long. */
const LEASE_MS = 10_000;
const RENEW_MS = 3_000;
/** Stores that one subscriber hears at the same time, in this process. */
const MAX_STORES_HEARD = 16;
const BATCH = 100;
/** The subscriber is told of one store for so long while others wait, in milliseconds. */
const TURN_MS = 1_000;
/** Stores whose new events are placed in one look. */
const MAX_STORES_PLACED = 200;
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 20_000;
/** An event's time is the application's, a subscriber's first appearance the database's. */
const CLOCKS_DIFFER_MS = 5_000;

/** One subscriber, and the stores it hears in this process at this moment. */
interface Listening {
  readonly subscriber: EventSubscriber;
  readonly stores: Set<string>;
  /** Events before this instant are passed over; null for none. */
  readonly fromAt: Date | null;
  seeded: boolean;
}

/**
 * Tells subscribers what happened, from the table (`EventSubscriber`). New events are told at once, in the process
 * that wrote them; a look every second finds what is due again, what other replicas or a crash have left, and what
 * was there before a subscriber came. Does nothing at all where there is no subscriber.
 */
@Injectable()
export class Subscriptions implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(Subscriptions.name);
  private readonly listening: Listening[] = [];
  private readonly fresh = new Set<string>();
  private readonly telling = new Set<Promise<void>>();
  private readonly looking = new SingleRun(
    () => this.look(),
    (error) => this.logger.warn(`Subscribers cannot be told just now: ${messageOf(error)}`),
  );
  private stopped = false;

  constructor(
    private readonly ports: Ports,
    private readonly events: Events,
    private readonly feed: FeedRepository,
    private readonly repository: SubscribersRepository,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    for (const subscriber of this.ports.implementationsOf(EventSubscriber)) await this.add(subscriber);
  }

  /** Tells one more from now on. @throws Error when its name is taken */
  async add(subscriber: EventSubscriber): Promise<void> {
    if (this.listening.some((other) => other.subscriber.name === subscriber.name)) {
      throw new Error(`Two subscribers are called "${subscriber.name}".`);
    }
    const { seeded, firstSeenAt } = await this.repository.register(subscriber.name);
    const fromAt = subscriber.from === 'now' ? new Date(firstSeenAt.getTime() - CLOCKS_DIFFER_MS) : null;
    if (this.listening.length === 0) this.events.onAppended((storeId) => this.hearOf(storeId));
    this.listening.push({ subscriber, stores: new Set(), fromAt, seeded });
  }

  /** Names of the subscribers of this process. */
  get names(): readonly string[] {
    return this.listening.map(({ subscriber }) => subscriber.name);
  }

  /** Looks around once; joins the look that is under way. Errors are logged. */
  @Interval('subscriptions', TICK_MS)
  run(): Promise<void> {
    return this.listening.length === 0 ? Promise.resolve() : this.looking.run();
  }

  /** Whether somebody here wants an event that stands in no feed; otherwise it need not be written. */
  wants(event: string): boolean {
    return this.listening.some(({ subscriber }) => subscriber.alsoHears.includes(event));
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    await this.looking.stop();
    await Promise.all(this.telling);
  }

  private hearOf(storeId: string): void {
    if (this.fresh.size === 0) setImmediate(() => void this.tellFresh());
    this.fresh.add(storeId);
  }

  private async tellFresh(): Promise<void> {
    const stores = [...this.fresh];
    this.fresh.clear();
    for (const storeId of stores) {
      if (this.stopped) return;
      try {
        await this.placeAll(storeId);
        for (const one of this.listening) this.tell(one, storeId);
      } catch (error) {
        // The next look finds it.
        this.logger.warn(`A new event waits for the next look: ${messageOf(error)}`);
      }
    }
  }

  private async look(): Promise<void> {
    let storeId: string | null = null;
    for (let count = 0; count < MAX_STORES_PLACED; count += 1) {
      storeId = await this.repository.findStoreWithUnplaced(storeId);
      if (storeId === null || this.stopped) break;
      await this.placeAll(storeId);
    }
    for (const one of this.listening) {
      if (!one.seeded) await this.seed(one);
      const room = MAX_STORES_HEARD - one.stores.size;
      if (room <= 0 || this.stopped) continue;
      for (const due of await this.repository.listDue(one.subscriber.name, room)) this.tell(one, due);
    }
  }

  private async placeAll(storeId: string): Promise<void> {
    while (!this.stopped && (await this.feed.place(storeId)));
  }

  private async seed(one: Listening): Promise<void> {
    let storeId: string | null = null;
    while ((storeId = await this.repository.findStoreWithEvents(storeId)) !== null) {
      if (this.stopped) return;
      await this.repository.seed(one.subscriber.name, storeId);
    }
    await this.repository.markSeeded(one.subscriber.name);
    one.seeded = true;
  }

  /** Begins to tell a subscriber what is due of a store, unless that is under way here already, or there is no room. */
  private tell(one: Listening, storeId: string): void {
    if (this.stopped || one.stores.has(storeId) || one.stores.size >= MAX_STORES_HEARD) return;
    one.stores.add(storeId);
    const told = this.tellAll(one, storeId)
      .catch((error: unknown) => this.logger.warn(`Events wait for their subscriber: ${messageOf(error)}`))
      .finally(() => {
        const wasCrowded = one.stores.size >= MAX_STORES_HEARD;
        one.stores.delete(storeId);
        this.telling.delete(told);
        if (wasCrowded && !this.stopped) void this.run();
      });
    this.telling.add(told);
  }

  private async tellAll({ subscriber, fromAt, stores }: Listening, storeId: string): Promise<void> {
    // Others may wait for a place: then this store goes on behind them.
    const endsAtMs = performance.now() + TURN_MS;
    const isOver = () => stores.size >= MAX_STORES_HEARD && performance.now() > endsAtMs;
    const hold: Hold = { subscriber: subscriber.name, storeId, leaseToken: newId() };
    let position = await this.repository.take(hold, LEASE_MS);
    if (position === null) return;
    const renewing = setInterval(() => {
      // When it cannot be renewed, it ends, and whoever finds it goes on.
      this.repository.hold(hold, LEASE_MS).catch(() => undefined);
    }, RENEW_MS);
    try {
      while (!this.stopped) {
        const events = await this.feed.listAfter(storeId, position, BATCH, true);
        if (events.length === 0 && (await this.repository.finish(hold))) return;
        if (events.length === 0 && !(await this.repository.hold(hold, LEASE_MS))) return;
        for (const { inFeed, ...event } of events) {
          if (this.stopped || isOver()) break;
          const isHeard = inFeed || subscriber.alsoHears.includes(event.event);
          if (isHeard && (fromAt === null || event.createdAt >= fromAt)) await subscriber.handle(event);
          if (!(await this.repository.advance(hold, event.position))) return;
          position = event.position;
        }
        if (events.length > 0 && isOver()) break;
      }
      await this.repository.giveBack(hold, 0, false);
    } catch (error) {
      await this.failed(hold, error);
    } finally {
      clearInterval(renewing);
    }
  }

  private async failed(hold: Hold, error: unknown): Promise<void> {
    const failures = await this.repository.findFailures(hold.subscriber, hold.storeId);
    const delayMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(failures, 10), MAX_RETRY_MS);
    const { subscriber, storeId } = hold;
    this.logger.warn({ subscriber, storeId, delayMs }, `A subscriber failed: ${messageOf(error)}`);
    await this.repository.giveBack(hold, delayMs, true);
  }
}
