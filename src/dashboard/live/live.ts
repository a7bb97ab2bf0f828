import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Subscription } from 'rxjs';
import { DashboardSessions } from '../../accounts/index.js';
import { MessagesService } from '../../inbound/index.js';
import { messageOf } from '../../kernel/error-text.js';
import { SingleRun } from '../../kernel/single-run.js';
import { DeliveriesService } from '../../notifications/index.js';
import { PaymentChanges, PaymentFingerprints } from '../../payments/index.js';
import { type EventStream, EventStreams } from '../../platform/http/index.js';
import { PhonePresence, type Store, StoresService } from '../../stores/index.js';

/** How often the stores of open pages are read, in milliseconds; a fixed number of statements for all pages. */
const POLL_INTERVAL_MS = 1_000;
/** Most open streams of one replica, of one session, and of one user in one store (contract 14.42). */
const MAX_STREAMS = 2_000;
const MAX_STREAMS_PER_SESSION = 20;
const MAX_STREAMS_PER_USER_AND_STORE = 50;
/** A session may have ended meanwhile: the browser comes again, and is asked again who it is. */
const MAX_STREAM_MS = 5 * 60_000;

/** The page about the phone shows so many of its latest messages. */
export const LATEST_MESSAGES = 5;
/** `2026-11-21T08:20`: pages say when a phone was heard no more exactly. */
const MINUTE_CHARACTERS = 16;

/** A page that follows a store, and perhaps one payment of it. */
interface Follower {
  readonly stream: EventStream;
  readonly store: Store;
  /** The cookie of the session. */
  readonly token: string;
  readonly paymentId: string | null;
}

/**
 * Tells open pages that there is something new (contract 10.4), on whatever replica it happened: what the pages show
 * is looked at every second and told as digests, and the page fetches itself. A change of this replica is looked at
 * at once. A look costs the same number of statements however many pages are open (contract 14.44).
 */
@Injectable()
export class LivePages implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(LivePages.name);
  private readonly streams = new EventStreams(MAX_STREAMS);
  private readonly followers = new Set<Follower>();
  private timer: NodeJS.Timeout | undefined;
  private subscription: Subscription | null = null;
  private hasNewFollowers = false;
  /** What failed is tried again by the next look; while the database is away nobody can be told anything either. */
  private readonly look = new SingleRun(
    () => this.tellAll(),
    (error) => this.logger.debug(messageOf(error)),
  );
  private readonly endThoseShutOut = new SingleRun(
    () => this.endStreamsWithoutAccess(),
    (error) => this.logger.debug(messageOf(error)),
  );

  constructor(
    private readonly payments: PaymentFingerprints,
    private readonly deliveries: DeliveriesService,
    private readonly messages: MessagesService,
    private readonly phones: PhonePresence,
    private readonly changes: PaymentChanges,
    private readonly sessions: DashboardSessions,
    private readonly stores: StoresService,
  ) {}

  onModuleInit(): void {
    this.subscription = this.changes.changes.subscribe(() => void this.look.run());
    this.timer = setInterval(() => {
      void this.look.run();
      void this.endThoseShutOut.run();
    }, POLL_INTERVAL_MS).unref();
  }

  onModuleDestroy(): void {
    this.subscription?.unsubscribe();
    clearInterval(this.timer);
    this.streams.end();
    void this.look.stop();
    void this.endThoseShutOut.stop();
  }

  /** Counts the stream at once, until its response is closed. @throws DomainError `request.rate_limited` */
  take(
    response: ServerResponse,
    { sessionId, userId, storeId }: { sessionId: string; userId: string; storeId: string },
  ): EventStream {
    return this.streams.take(response, userId, [
      { name: `session ${sessionId}`, most: MAX_STREAMS_PER_SESSION },
      { name: `store ${storeId} of ${userId}`, most: MAX_STREAMS_PER_USER_AND_STORE },
    ]);
  }

  /** The stream must have begun. */
  follow(follower: Follower): void {
    if (!follower.stream.isOpen) return;
    this.followers.add(follower);
    const end = setTimeout(() => follower.stream.end(), MAX_STREAM_MS);
    end.unref();
    follower.stream.whenClosed(() => {
      clearTimeout(end);
      this.followers.delete(follower);
    });
    this.hasNewFollowers = true;
    void this.look.run();
  }

  private async tellAll(): Promise<void> {
    if (this.followers.size === 0) return;
    // A page that came during the look is told at once, too.
    do {
      this.hasNewFollowers = false;
      await this.tell([...this.followers]);
    } while (this.hasNewFollowers);
  }

  /** A sign-out, and the end of a membership, hold at once on every replica (contract 10.14 and 15.10). */
  private async endStreamsWithoutAccess(): Promise<void> {
    if (this.followers.size === 0) return;
    const followers = [...this.followers];
    const users = await this.sessions.findUsers([...new Set(followers.map(({ token }) => token))]);
    const pairs = new Map(
      followers.flatMap(({ token, store }) => {
        const user = users.get(token);
        return user === undefined ? [] : [[`${user.id} ${store.id}`, { user, store }] as const];
      }),
    );
    const readers = await this.stores.readersAmong([...pairs.values()]);
    for (const { token, store, stream } of followers) {
      const user = users.get(token);
      if (user === undefined || !readers.has(`${user.id} ${store.id}`)) stream.end();
    }
  }

  private async tell(followers: readonly Follower[]): Promise<void> {
    const storeIds = [...new Set(followers.map(({ store }) => store.id))];
    const ofPayment = new Map(
      followers.flatMap(({ store, paymentId }) =>
        paymentId === null ? [] : [[paymentId, { storeId: store.id, id: paymentId }] as const],
      ),
    );
    const [digests, payments, deliveries] = await Promise.all([
      this.digestsOf(storeIds),
      this.payments.ofPayments([...ofPayment.values()]),
      this.deliveries.fingerprintsOfPayments([...ofPayment.values()]),
    ]);
    for (const { stream, store, paymentId } of followers) {
      const payment =
        paymentId === null ? '' : digest([payments.get(paymentId) ?? '', deliveries.get(paymentId) ?? '']);
      stream.send('digests', { ...digests(store.id), payment });
    }
  }

  /** Digests of the first page of each list of a store, by the name that a page gives its content (`data-live`). */
  private async digestsOf(storeIds: readonly string[]): Promise<(storeId: string) => Record<string, string>> {
    const [payments, review, receipts, deliveries, messages, phoneOf] = await Promise.all([
      this.payments.latest(storeIds),
      this.payments.inReview(storeIds),
      this.payments.receipts(storeIds),
      this.deliveries.latestFingerprints(storeIds),
      this.messages.latestFingerprints(storeIds),
      this.phones.statusOf(storeIds),
    ]);
    return (storeId) => {
      const phone = phoneOf(storeId);
      const parts = {
        payments: payments.get(storeId),
        review: review.get(storeId),
        receipts: receipts.get(storeId),
        deliveries: deliveries.get(storeId),
        messages: messages.get(storeId),
        phone: [
          { ...phone, lastSeenAt: phone.lastSeenAt?.toISOString().slice(0, MINUTE_CHARACTERS) },
          messages.get(storeId),
        ],
      };
      const digests = Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, digest(part)]));
      return { ...digests, overview: digest(parts) };
    };
  }
}

function digest(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value ?? null))
    .digest('base64url')
    .slice(0, 12);
}
