import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import type { Subscription } from 'rxjs';
import { messageOf } from '../kernel/error-text.js';
import { SingleRun } from '../kernel/single-run.js';
import { type Payment, PaymentChanges, PaymentsService } from '../payments/index.js';
import { addressGroup, type EventStream, EventStreams } from '../platform/http/index.js';
import { verifyResultView } from './checkout.dto.js';

/** How often other replicas' changes are looked for, in milliseconds; one statement for all open pages together. */
const POLL_INTERVAL_MS = 500;

/** Most open streams of one replica, and of one address (IPv6: one /64). A refused page polls (contract 5.38). */
const MAX_STREAMS = 5_000;
const MAX_STREAMS_PER_ADDRESS = 50;

/**
 * Server-Sent Events of payments (contract 5.18). A change on this replica is sent at once, one on another replica
 * within half a second: a `NOTIFY` in the payment's transaction would cost two thirds of the payment rate.
 */
@Injectable()
export class StatusStream implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(StatusStream.name);
  private readonly streams = new EventStreams(MAX_STREAMS);
  private readonly ofPayment = new Map<string, Set<EventStream>>();
  private readonly poll = new SingleRun(
    () => this.refresh([...this.ofPayment.keys()]),
    (error) => this.logger.debug(messageOf(error)),
  );
  private timer: NodeJS.Timeout | undefined;
  private subscription: Subscription | null = null;

  constructor(
    private readonly payments: PaymentsService,
    private readonly paymentChanges: PaymentChanges,
  ) {}

  onModuleInit(): void {
    this.subscription = this.paymentChanges.changes.subscribe((paymentId) => {
      if (this.ofPayment.has(paymentId)) void this.refresh([paymentId]);
    });
    this.timer = setInterval(() => void this.poll.run(), POLL_INTERVAL_MS).unref();
  }

  onModuleDestroy(): void {
    this.subscription?.unsubscribe();
    clearInterval(this.timer);
    this.streams.end();
    void this.poll.stop();
  }

  /** Counts the stream at once, until its response is closed. @throws DomainError `request.rate_limited` */
  take(address: string, response: ServerResponse): EventStream {
    const group = addressGroup(address);
    return this.streams.take(response, group, [{ name: `address ${group}`, most: MAX_STREAMS_PER_ADDRESS }]);
  }

  /** Sends the status now and on each change, until the reader goes away. The stream must have begun. */
  follow(payment: Payment, stream: EventStream): void {
    if (!stream.isOpen) return;
    const streams = this.ofPayment.get(payment.id) ?? new Set();
    this.ofPayment.set(payment.id, streams.add(stream));
    stream.whenClosed(() => {
      streams.delete(stream);
      if (streams.size === 0 && this.ofPayment.get(payment.id) === streams) this.ofPayment.delete(payment.id);
    });
    stream.send('status', verifyResultView(payment));
  }

  private async refresh(paymentIds: readonly string[]): Promise<void> {
    if (paymentIds.length === 0) return;
    try {
      for (const payment of await this.payments.listByIds(paymentIds)) {
        for (const stream of this.ofPayment.get(payment.id) ?? [])
          stream.send('status', verifyResultView(payment));
      }
    } catch (error) {
      // The page asks again by itself; the next poll will tell it.
      this.logger.debug(messageOf(error));
    }
  }
}
