import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import type { Subscription } from 'rxjs';
import { addressGroup } from '../platform/http/index.js';
import { DomainError } from '../kernel/domain-error.js';
import { messageOf } from '../kernel/error-text.js';
import { type Payment, PaymentChanges, PaymentsService } from '../payments/index.js';
import { verifyResultView } from './checkout.dto.js';

/** How often other replicas' changes are looked for, in milliseconds; one statement for all open pages together. */
const POLL_INTERVAL_MS = 500;
const COMMENT_INTERVAL_MS = 15_000;

/** Open streams of one replica, and of one address (IPv6: of one /64); a page that gets none polls instead. */
const MAX_STREAMS = 5_000;
const MAX_STREAMS_PER_ADDRESS = 50;

interface Stream {
  readonly paymentId: string;
  readonly group: string;
  readonly response: ServerResponse;
  lastEvent: string;
}

/**
 * Server-Sent Events of payments (contract 5.18). A change on this replica is sent at once, one on another replica
 * within half a second: a `NOTIFY` in the payment's transaction would cost two thirds of the payment rate.
 */
@Injectable()
export class StatusStream implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(StatusStream.name);
  private readonly streams = new Map<string, Set<Stream>>();
  private readonly openOfGroup = new Map<string, number>();
  private open = 0;
  private polling = false;
  private timers: NodeJS.Timeout[] = [];
  private subscription: Subscription | null = null;

  constructor(
    private readonly payments: PaymentsService,
    private readonly paymentChanges: PaymentChanges,
  ) {}

  onModuleInit(): void {
    this.subscription = this.paymentChanges.changes.subscribe((paymentId) => {
      if (this.streams.has(paymentId)) void this.refresh([paymentId]);
    });
    this.timers = [
      setInterval(() => void this.poll(), POLL_INTERVAL_MS),
      setInterval(() => this.comment(), COMMENT_INTERVAL_MS),
    ];
    for (const timer of this.timers) timer.unref();
  }

  onModuleDestroy(): void {
    this.subscription?.unsubscribe();
    for (const timer of this.timers) clearInterval(timer);
    for (const streams of this.streams.values()) for (const stream of streams) stream.response.end();
  }

  /** @throws DomainError `request.rate_limited` when there are too many streams already */
  admit(address: string): void {
    const openOfGroup = this.openOfGroup.get(addressGroup(address)) ?? 0;
    if (this.open < MAX_STREAMS && openOfGroup < MAX_STREAMS_PER_ADDRESS) return;
    throw new DomainError('rate_limited', 'request.rate_limited', 'Too many open event streams.', {
      retryAfterSeconds: 15,
    });
  }

  /** Sends the status now and on each change, until the reader goes away. The head must have been written. */
  attach(payment: Payment, address: string, response: ServerResponse): void {
    // The reader went away while the payment was looked up: `close` has been, and nothing else would ever let go of
    // the stream.
    if (response.closed || response.destroyed) return;
    const group = addressGroup(address);
    const stream: Stream = { paymentId: payment.id, group, response, lastEvent: '' };
    const streams = this.streams.get(payment.id) ?? new Set();
    this.streams.set(payment.id, streams.add(stream));
    this.openOfGroup.set(group, (this.openOfGroup.get(group) ?? 0) + 1);
    this.open += 1;
    response.once('close', () => this.detach(stream));
    response.on('error', () => response.destroy());
    this.send(stream, payment);
  }

  private detach(stream: Stream): void {
    const streams = this.streams.get(stream.paymentId);
    if (streams?.delete(stream) !== true) return;
    if (streams.size === 0) this.streams.delete(stream.paymentId);
    this.open -= 1;
    const left = (this.openOfGroup.get(stream.group) ?? 1) - 1;
    if (left === 0) this.openOfGroup.delete(stream.group);
    else this.openOfGroup.set(stream.group, left);
  }

  private async poll(): Promise<void> {
    if (this.polling || this.streams.size === 0) return;
    this.polling = true;
    try {
      await this.refresh([...this.streams.keys()]);
    } finally {
      this.polling = false;
    }
  }

  private async refresh(paymentIds: readonly string[]): Promise<void> {
    try {
      for (const payment of await this.payments.listByIds(paymentIds)) {
        for (const stream of this.streams.get(payment.id) ?? []) this.send(stream, payment);
      }
    } catch (error) {
      // The page asks again by itself; the next poll will tell it.
      this.logger.debug(messageOf(error));
    }
  }

  private send(stream: Stream, payment: Payment): void {
    const event = `event: status\ndata: ${JSON.stringify(verifyResultView(payment))}\n\n`;
    if (event === stream.lastEvent) return;
    stream.lastEvent = event;
    stream.response.write(event);
  }

  private comment(): void {
    for (const streams of this.streams.values())
      for (const stream of streams) stream.response.write(': alive\n\n');
  }
}
