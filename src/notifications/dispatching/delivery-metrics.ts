import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

const SECONDS = [
  0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200, 86_400,
];

/** Gauges of the dispatcher at this moment. */
export interface DeliveryGauges {
  readonly inFlight: () => number;
  readonly waiting: () => number;
  readonly openBreakers: () => number;
}

/**
 * How deliveries are doing, for `/metrics`. Never labelled by store: there may be any number, and they are strangers.
 */
@Injectable()
export class DeliveryMetrics {
  readonly commitTo2xxSeconds: Histogram;
  private readonly attempts: Counter<'outcome'>;
  private readonly attemptsByOutcome = new Map<string, { inc(): void }>();
  readonly takenOver: Counter;
  readonly blockedAddresses: Counter;
  readonly oldestDueSeconds: Gauge;

  constructor(private readonly registry: Registry) {
    const registers = [registry];
    this.commitTo2xxSeconds = new Histogram({
      name: 'joma_webhook_commit_to_2xx_seconds',
      help: 'From the event to the first 2xx answer of its receiver, retries included.',
      buckets: SECONDS,
      registers,
    });
    this.attempts = new Counter({
      name: 'joma_webhook_attempts_total',
      help: 'Attempts to deliver an event, by outcome: delivered, or the error that merchants see.',
      labelNames: ['outcome'],
      registers,
    });
    this.takenOver = new Counter({
      name: 'joma_webhook_leases_taken_over_total',
      help: 'Deliveries taken over because the lease of whoever sent them ran out.',
      registers,
    });
    this.blockedAddresses = new Counter({
      name: 'joma_webhook_blocked_addresses_total',
      help: 'Attempts that were not made because the address may not be called.',
      registers,
    });
    this.oldestDueSeconds = new Gauge({
      name: 'joma_webhook_oldest_due_age_seconds',
      help: 'How long the oldest delivery that is due has been waiting, over all replicas.',
      registers,
    });
  }

  /** An attempt came to its end: `delivered`, or one of the few errors that merchants see. */
  countAttempt(outcome: string): void {
    let counter = this.attemptsByOutcome.get(outcome);
    if (counter === undefined) {
      counter = this.attempts.labels(outcome);
      this.attemptsByOutcome.set(outcome, counter);
    }
    counter.inc();
  }

  /** Registers the gauges that are read when somebody asks. */
  observe({ inFlight, waiting, openBreakers }: DeliveryGauges): void {
    this.gauge('joma_webhook_in_flight', 'Exchanges with receivers under way.', inFlight);
    this.gauge('joma_webhook_waiting', 'Deliveries waiting in memory for their turn.', waiting);
    this.gauge('joma_webhook_breakers_open', 'Stores that are not sent to for a while.', openBreakers);
  }

  private gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }
}
