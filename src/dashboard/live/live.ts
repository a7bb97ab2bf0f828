import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Subscription } from 'rxjs';
import { PageQuery } from '../../platform/http/index.js';
import { DomainError } from '../../kernel/domain-error.js';
import { messageOf } from '../../kernel/error-text.js';
import { DeliveriesService } from '../../notifications/index.js';
import { PaymentChanges, PaymentsService, ReceiptsService, ReviewService } from '../../payments/index.js';
import { MessagesService } from '../../inbound/index.js';
import { PhonePresence } from '../../stores/index.js';

/** How often a store with open pages is looked at; a few indexed look-ups for all its pages together. */
const POLL_INTERVAL_MS = 1_000;
const COMMENT_INTERVAL_MS = 15_000;
/** Open streams of one replica, and of one session; a page that gets none goes without. */
const MAX_STREAMS = 2_000;
const MAX_STREAMS_PER_SESSION = 20;
/** A session may have ended meanwhile: the browser comes again, and is asked again who it is. */
const MAX_STREAM_MS = 5 * 60_000;

/** The page about the phone shows so many of its latest messages. */
export const LATEST_MESSAGES = 5;
/** `2026-11-21T08:20`: pages say when a phone was heard no more exactly. */
const MINUTE_CHARACTERS = 16;

interface Stream {
  readonly storeId: string;
  readonly sessionId: string;
  readonly paymentId: string | null;
  readonly response: ServerResponse;
  /** Whether the user is still signed in, and may still see the store. */
  readonly mayRead: () => Promise<boolean>;
  last: string;
}

/**
 * Tells open pages that there is something new (contract 10.23), on whatever replica it happened: what the pages show
 * is looked at every second and told as digests, and the page fetches itself. A change of this replica is looked at
 * at once.
 */
@Injectable()
export class LivePages implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(LivePages.name);
  private readonly streams = new Set<Stream>();
  private timers: NodeJS.Timeout[] = [];
  private subscription: Subscription | null = null;
  private isLooking = false;
  private isAsking = false;

  constructor(
    private readonly payments: PaymentsService,
    private readonly receipts: ReceiptsService,
    private readonly deliveries: DeliveriesService,
    private readonly review: ReviewService,
    private readonly messages: MessagesService,
    private readonly phones: PhonePresence,
    private readonly changes: PaymentChanges,
  ) {}

  onModuleInit(): void {
    this.subscription = this.changes.changes.subscribe(() => void this.look());
    this.timers = [
      setInterval(() => void this.look(), POLL_INTERVAL_MS),
      setInterval(() => void this.endThoseShutOut(), POLL_INTERVAL_MS),
      setInterval(() => this.comment(), COMMENT_INTERVAL_MS),
    ];
    for (const timer of this.timers) timer.unref();
  }

  onModuleDestroy(): void {
    this.subscription?.unsubscribe();
    for (const timer of this.timers) clearInterval(timer);
    for (const { response } of this.streams) response.end();
  }

  /** @throws DomainError `request.rate_limited` when there are too many streams already */
  admit(sessionId: string): void {
    const own = [...this.streams].filter((stream) => stream.sessionId === sessionId).length;
    if (this.streams.size < MAX_STREAMS && own < MAX_STREAMS_PER_SESSION) return;
    throw new DomainError('rate_limited', 'request.rate_limited', 'Too many open event streams.', {
      retryAfterSeconds: 15,
    });
  }

  /** The head of the answer must have been written. */
  attach(stream: Omit<Stream, 'last'>): void {
    // The reader went away while the page was looked up: `close` has been, and nothing else would ever let go of the
    // stream.
    if (stream.response.closed || stream.response.destroyed) return;
    const open: Stream = { ...stream, last: '' };
    this.streams.add(open);
    const end = setTimeout(() => open.response.end(), MAX_STREAM_MS);
    end.unref();
    open.response.once('close', () => {
      clearTimeout(end);
      this.streams.delete(open);
    });
    open.response.on('error', () => open.response.destroy());
    void this.tell([open]);
  }

  private async look(): Promise<void> {
    if (this.isLooking || this.streams.size === 0) return;
    this.isLooking = true;
    try {
      await this.tell([...this.streams]);
    } finally {
      this.isLooking = false;
    }
  }

  /** A sign-out, and the end of a membership, hold at once on every replica (contract 10.14 and 15.10). */
  private async endThoseShutOut(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    const asked = new Map<string, Promise<boolean>>();
    try {
      for (const { sessionId, storeId, mayRead, response } of this.streams) {
        const key = `${sessionId} ${storeId}`;
        const answer = asked.get(key) ?? mayRead();
        asked.set(key, answer);
        if (!(await answer)) response.end();
      }
    } catch (error) {
      // Nobody can be told anything either while the database is away.
      this.logger.debug(messageOf(error));
    } finally {
      this.isAsking = false;
    }
  }

  private async tell(streams: readonly Stream[]): Promise<void> {
    const digests = new Map<string, Promise<Record<string, string>>>();
    try {
      for (const stream of streams) {
        const ofStore = digests.get(stream.storeId) ?? this.digestsOf(stream.storeId);
        digests.set(stream.storeId, ofStore);
        const payment =
          stream.paymentId === null ? '' : await this.digestOfPayment(stream.storeId, stream.paymentId);
        const event = `event: digests\ndata: ${JSON.stringify({ ...(await ofStore), payment })}\n\n`;
        if (event === stream.last || stream.response.writableEnded) continue;
        stream.last = event;
        stream.response.write(event);
      }
    } catch (error) {
      // The next look tells it.
      this.logger.debug(messageOf(error));
    }
  }

  /** Digests of the first page of each list, by the name that a page gives its content (`data-live`). */
  private async digestsOf(storeId: string): Promise<Record<string, string>> {
    const query = new PageQuery();
    const [payments, review, receipts, deliveries, messages, phoneOf] = await Promise.all([
      this.payments.listOfStore(storeId, {}, query),
      this.payments.listOfStore(storeId, { status: 'review' }, query),
      this.receipts.listOfStore(storeId, undefined, query),
      this.deliveries.list(storeId, {}, query),
      this.messages.listOfStore(storeId, undefined, query),
      this.phones.statusOf([storeId]),
    ]);
    const phone = phoneOf(storeId);
    const parts = {
      payments: payments.data.map(({ id, status }) => [id, status]),
      review: review.data.map(({ id, reviewReason, receiptId }) => [id, reviewReason, receiptId]),
      receipts: receipts.data.map(({ id, status }) => [id, status]),
      deliveries: deliveries.data.map(({ id, status, attempts }) => [id, status, attempts.length]),
      messages: messages.data.map(({ id, status }) => [id, status]),
      phone: [
        { ...phone, lastSeenAt: phone.lastSeenAt?.toISOString().slice(0, MINUTE_CHARACTERS) },
        messages.data.slice(0, LATEST_MESSAGES).map(({ id, status }) => [id, status]),
      ],
    };
    const digests = Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, digest(part)]));
    return { ...digests, overview: digest(parts) };
  }

  private async digestOfPayment(storeId: string, paymentId: string): Promise<string> {
    const payment = await this.payments.getOfStore(storeId, paymentId);
    const { status, reviewReason, receiptId, refundedAmountMinor, submittedAt } = payment;
    const deliveries = await this.deliveries.list(storeId, { paymentId }, new PageQuery());
    const sent = deliveries.data.map((delivery) => [delivery.status, delivery.attempts.length]);
    const claims =
      status === 'review'
        ? (await this.review.listClaims(storeId, [paymentId])).map((one) => one.receiptId)
        : [];
    return digest([status, reviewReason, receiptId, refundedAmountMinor, submittedAt, sent, claims]);
  }

  private comment(): void {
    for (const { response } of this.streams) if (!response.writableEnded) response.write(': alive\n\n');
  }
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 12);
}
