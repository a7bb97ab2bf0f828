import { Injectable, Logger } from '@nestjs/common';
import { nextAttemptDelayMs, parseRetryAfterMs } from '../../kernel/backoff.js';
import { Clock } from '../../kernel/clock.js';
import { messageOf, stackOf } from '../../kernel/error-text.js';
import { isRetryable, isUnavailable } from '../../kernel/sqlstate.js';
import { DomainError } from '../../kernel/domain-error.js';
import {
  type DeliveryTarget,
  DeliveryTargets,
  type SealedDeliveryTarget,
  WebhookEndpoint,
} from '../../stores/index.js';
import type { ClaimedDelivery } from './due-deliveries.repository.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { reachFaultPoint } from './fault-point.js';
import { FreshLookup } from '../../kernel/fresh-lookup.js';
import {
  type QuotaKind,
  type QuotaPlan,
  SendingQuotas,
  type QuotaStart,
  type QuotaVerdict,
  type QuotaWalk,
} from './sending-quotas.js';
import { deliveryLeaseMs } from './lease.js';
import { type AttemptRecord, type DeliveryOutcome, Outcomes } from './outcomes.js';
import { DeliveryOutcomesRepository } from './delivery-outcomes.repository.js';
import { webhookRequest } from '../sending/webhook-request.js';
import { type WebhookOutcome, WebhookSender } from '../sending/webhook-sender.js';
import { NotificationsSettings } from '../notifications.settings.js';

/** The target of a delivery, as its own transaction has read it. */
export interface TargetAsRead {
  readonly sealed: SealedDeliveryTarget;
  readonly readAtMs: number;
}

/** A delivery whose transaction has been committed, leased to this process. */
export interface CommittedDelivery {
  /** The id of its event, and the `webhook-id`. */
  readonly deliveryId: string;
  readonly storeId: string;
  readonly body: string;
  /** Its own address; null for the store's. */
  readonly url: string | null;
  readonly apiKeyHeader: string | null;
  readonly simulated: boolean;
  readonly redacted: boolean;
  readonly leaseToken: string;
  /** On the clock of `performance.now()`, taken before the lease began: the lease ends no earlier than it seems to. */
  readonly leasedAtMs: number;
  /** Good for a first attempt at once; null when it has to be asked for. */
  readonly target: TargetAsRead | null;
}

/** A delivery in memory, with the lease it is held under. */
interface Job extends Pick<CommittedDelivery, 'url' | 'apiKeyHeader' | 'simulated' | 'redacted'> {
  readonly storeId: string;
  readonly bytes: number;
  readonly deliveryId: string;
  readonly body: string;
  readonly leaseToken: string;
  /** On the clock of `performance.now()`, like every instant whose name ends so in here. */
  readonly leasedAtMs: number;
  readonly createdAtMs: number;
  readonly roundFailures: number;
  readonly firstDelivery: boolean;
  /** While it is begun straight from its commit. */
  target: TargetAsRead | null;
}

type ReachableTarget = DeliveryTarget & { readonly webhookUrl: string };

/** Time between the end of an exchange and the end of its lease, for writing down what became of it. */
const RECORD_MARGIN_MS = 2_000;
/** Before another try when this process, not the receiver, could not send. */
const OWN_TROUBLE_DELAY_MS = 1_000;
/** The same when it cannot send at all, for instance because it cannot read the store's secrets. */
const OWN_DEFECT_DELAY_MS = 30_000;
/**
 * A target that a transaction has read is as of before its commit: no older than a look-up of one's own on a busy
 * server.
 */
const TARGET_GOOD_FOR_MS = 50;
/** The status with which a receiver says that it is gone for good (RFC 9110 §15.5.11). */
const GONE = 410;
/** Outcomes that may wait to be written before nothing new is sent. */
const MAX_UNWRITTEN = 4_096;

/**
 * On SIGTERM, of the 10 s that contract 8.33 allow: for exchanges under way, and for writing down what became of
 * them.
 */
const DRAIN_EXCHANGES_MS = 6_500;
const DRAIN_OUTCOMES_MS = 1_000;

/**
 * Sends deliveries that this process holds: in memory from the commit to the receiver's answer, with no query in
 * between. What has to wait, or comes from the table, looks up the address and the secrets then in force (contract
 * 7.14). Whatever happens in here, the outcome of a delivery is written down, or the delivery is handed back, or its
 * lease runs out: it is never lost.
 */
@Injectable()
export class Dispatcher {
  private readonly logger = new Logger(Dispatcher.name);
  private readonly quotas = new SendingQuotas<Job>(() => performance.now(), Math.random);
  private readonly sealedTargets: FreshLookup<SealedDeliveryTarget>;
  private readonly outcomes: Outcomes;
  private readonly dueListeners: ((delayMs: number) => void)[] = [];
  private whenIdle: (() => void) | null = null;
  private closing = false;
  private wasStuck = false;
  readonly leaseMs: number;
  /** The longest that an exchange, from its beginning, may still be going on or not be written down. */
  readonly exchangeMs: number;

  constructor(
    private readonly settings: NotificationsSettings,
    private readonly clock: Clock,
    private readonly sender: WebhookSender,
    private readonly metrics: DeliveryMetrics,
    private readonly endpoint: WebhookEndpoint,
    private readonly targets: DeliveryTargets,
    deliveryOutcomes: DeliveryOutcomesRepository,
  ) {
    this.leaseMs = deliveryLeaseMs(settings.webhookTimeoutMs);
    this.exchangeMs = settings.webhookTimeoutMs + RECORD_MARGIN_MS;
    this.sealedTargets = new FreshLookup((storeIds) => targets.findSealed(storeIds));
    this.outcomes = new Outcomes({
      write: (batch, again) => deliveryOutcomes.record(batch, again),
      isTemporary,
      onWritten: (batch) => this.goOn(batch),
      onTrouble: (error, abandoned) => this.reportUnwritten(error, abandoned),
    });
    metrics.observe({
      inFlight: () => this.quotas.inFlight,
      waiting: () => this.quotas.waiting,
      openBreakers: () => this.quotas.openBreakers,
    });
  }

  /** Called when it is worth asking the table for more, after so many milliseconds. */
  onDueIn(listener: (delayMs: number) => void): void {
    this.dueListeners.push(listener);
  }

  /** The database does not take what became of deliveries, so taking more of them would only send them twice. */
  get isStuck(): boolean {
    return this.closing || this.outcomes.isFailing || this.outcomes.size > MAX_UNWRITTEN;
  }

  /** Whether this process could send a store's next event soon. */
  admits(storeId: string): boolean {
    return !this.isStuck && this.quotas.admits(storeId);
  }

  /** The table has got something due for this store: asked for at once where there is room, else when there is. */
  lookAfter(storeId: string): void {
    if (this.quotas.left(storeId)) this.askForMore();
  }

  /** The deliveries to take from the table now. */
  plan(): QuotaPlan {
    return this.quotas.plan();
  }

  /** When a store that is not sent to for a while may be tried again, in milliseconds from now; null when none is. */
  nextReopeningInMs(): number | null {
    const atMs = this.quotas.nextReopeningAtMs();
    return atMs === null ? null : Math.max(0, atMs - performance.now());
  }

  /** A new event, straight from its commit. */
  takeCommitted(delivery: CommittedDelivery): void {
    reachFaultPoint('after-commit', this.settings.faultPoint);
    const job = jobOf(delivery, 0, true, delivery.leasedAtMs, performance.now());
    job.target = delivery.target;
    this.take(job, 'fresh');
    this.pump();
    // It has begun, or has to wait: then the address and the secrets may have changed by its turn.
    job.target = null;
  }

  /** Deliveries taken from the table by `plan` on that walk, leased no earlier than `leasedAtMs`. */
  takeClaimed(
    plan: QuotaPlan,
    walk: QuotaWalk,
    deliveries: readonly ClaimedDelivery[],
    leasedAtMs: number,
  ): void {
    const countByStore = new Map<string, number>();
    for (const delivery of deliveries) {
      countByStore.set(delivery.storeId, (countByStore.get(delivery.storeId) ?? 0) + 1);
      if (delivery.takenOver) this.metrics.takenOver.inc();
      this.takeFromTable(delivery, leasedAtMs);
    }
    this.quotas.planned(plan, countByStore, walk);
    this.pump();
  }

  /**
   * Hands back what was not begun, lets exchanges under way end within a bound, breaks off the rest and writes
   * everything down. Resolves within about 8 s. Must be called once nothing is claimed any more.
   */
  async drain(): Promise<void> {
    this.closing = true;
    for (const job of this.quotas.close()) this.release(job, 0);
    if (this.quotas.inFlight > 0) {
      let timer: NodeJS.Timeout | undefined;
      const idle = new Promise<void>((resolve) => (this.whenIdle = resolve));
      const timedOut = new Promise<void>((resolve) => (timer = setTimeout(resolve, DRAIN_EXCHANGES_MS)));
      await Promise.race([idle, timedOut]);
      clearTimeout(timer);
    }
    await this.sender.close();
    // An exchange that was broken off ends in the turns after this one.
    await new Promise((resolve) => setImmediate(resolve));
    await this.outcomes.drain(DRAIN_OUTCOMES_MS);
  }

  private takeFromTable(delivery: ClaimedDelivery, leasedAtMs: number): void {
    const { roundFailures, firstDelivery, ageMs } = delivery;
    this.take(jobOf(delivery, roundFailures, firstDelivery, leasedAtMs, leasedAtMs - ageMs), 'backlog');
  }

  private take(job: Job, kind: QuotaKind): void {
    if (this.closing || !this.quotas.add(job, kind)) this.release(job, 0);
  }

  private pump(): void {
    while (this.outcomes.size <= MAX_UNWRITTEN) {
      const start = this.quotas.next();
      if (start === null) return;
      void this.run(start);
    }
  }

  /** Never rejects. */
  private async run(start: QuotaStart<Job>): Promise<void> {
    const { verdict, tookMs } = await this.attempt(start.job);
    const { handedBack, reopensInMs, wantsMore } = this.quotas.finish(start, verdict, tookMs);
    for (const job of handedBack) this.release(job, 0);
    if (this.quotas.inFlight === 0) this.whenIdle?.();
    if (wantsMore) this.askForMore();
    if (reopensInMs !== null) this.announceDue(reopensInMs);
    this.pump();
  }

  private async attempt(job: Job): Promise<{ verdict: QuotaVerdict; tookMs: number }> {
    const nothingLearnt = { verdict: 'none', tookMs: 0 } as const;
    try {
      // A job that has waited too long, here or for the database, could still be under way when its lease ends, and
      // be sent twice.
      if (this.isStale(job)) {
        this.release(job, 0);
        return nothingLearnt;
      }
      const sealed = targetNow(job) ?? (await this.sealedTargets.get(job.storeId));
      if (this.isStale(job)) {
        this.release(job, 0);
        return nothingLearnt;
      }
      const webhookUrl = job.url ?? (sealed?.webhookPaused === true ? null : (sealed?.webhookUrl ?? null));
      if (sealed === undefined || webhookUrl === null) {
        this.outcomes.add({ ...leaseOf(job), kind: 'held' });
        return nothingLearnt;
      }
      const target = this.targets.open(sealed);
      return await this.exchange(
        job,
        target.webhookUrl === webhookUrl ? (target as ReachableTarget) : { ...target, webhookUrl },
      );
    } catch (error) {
      if (isTemporary(error)) {
        this.release(job, OWN_TROUBLE_DELAY_MS);
        return nothingLearnt;
      }
      this.logger.error(stackOf(error));
      this.release(job, OWN_DEFECT_DELAY_MS);
      return { verdict: 'failure', tookMs: 0 };
    }
  }

  private async exchange(
    job: Job,
    target: ReachableTarget,
  ): Promise<{ verdict: QuotaVerdict; tookMs: number }> {
    const sentAt = this.clock.now();
    const { deliveryId: id, simulated, redacted } = job;
    const body = Buffer.from(job.body, 'utf8');
    const ownHeaders =
      job.apiKeyHeader === null
        ? undefined
        : await this.apiKeyHeaderOf(job, job.apiKeyHeader, target.webhookUrl);
    const outcome = await this.sender.send(
      webhookRequest(
        { id, body, sentAt, simulated, redacted, ownHeaders },
        target,
        this.settings.webhookTimeoutMs,
      ),
    );
    reachFaultPoint('after-post', this.settings.faultPoint);
    this.count(job, outcome);
    if (
      outcome.responseStatus === GONE &&
      job.url === null &&
      (await this.pause(job.storeId, target.webhookUrl))
    ) {
      this.outcomes.add({ ...leaseOf(job), kind: 'held', attempt: attemptOf(outcome, sentAt) });
      return { verdict: 'failure', tookMs: outcome.durationMs };
    }
    const { verdict, finding } = this.judge(job, outcome, sentAt);
    this.outcomes.add(finding);
    const delayMs = finding.kind === 'failed' ? finding.delayMs : null;
    if (delayMs !== null) this.announceDue(delayMs);
    return { verdict, tookMs: outcome.durationMs };
  }

  /** Read afresh, like all secrets; never to where it could be read on its way (contract 13.50). */
  private async apiKeyHeaderOf(
    { storeId }: Job,
    apiKeyHeader: string,
    url: string,
  ): Promise<Record<string, string>> {
    const isSafe = new URL(url).protocol === 'https:' || this.settings.webhookAllowPrivate;
    if (!isSafe) return {};
    const apiKey = await this.targets.findApiKey(storeId);
    return apiKey === null ? {} : { [apiKeyHeader]: apiKey };
  }

  private judge(
    job: Job,
    outcome: WebhookOutcome,
    at: Date,
  ): { verdict: QuotaVerdict; finding: DeliveryOutcome } {
    const { error } = outcome;
    const attempt = attemptOf(outcome, at);
    const { deliveryId, storeId, leaseToken } = job;
    if (outcome.ok)
      return { verdict: 'success', finding: { deliveryId, storeId, leaseToken, kind: 'delivered', attempt } };
    const lease = leaseOf(job);
    if (error === 'overloaded') {
      return { verdict: 'none', finding: { ...lease, kind: 'released', delayMs: OWN_TROUBLE_DELAY_MS } };
    }
    if (error === 'aborted') return { verdict: 'none', finding: { ...lease, kind: 'interrupted', attempt } };
    const delayAfter = (failures: number) =>
      nextAttemptDelayMs(
        this.settings.webhookRetryScheduleMs,
        failures,
        retryAfterMs(outcome, this.clock.now()),
        Math.random,
      );
    return {
      verdict: 'failure',
      finding: {
        ...lease,
        kind: 'failed',
        attempt,
        failuresBefore: job.roundFailures,
        delayMs: delayAfter(job.roundFailures + 1),
        freshDelayMs: delayAfter(1),
      },
    };
  }

  /**
   * 410: the receiver wants no more of this. Paused before the delivery is held: after a crash in between
   * it is found due, and held then. False when the database did not take it; the attempt is then a failure like
   * others.
   */
  private async pause(storeId: string, webhookUrl: string): Promise<boolean> {
    try {
      await this.endpoint.pause(storeId, webhookUrl, 'gone');
      return true;
    } catch (error) {
      this.logger.warn(
        `An endpoint cannot be paused just now: ${error instanceof Error ? error.message : ''}`,
      );
      return false;
    }
  }

  private count(job: Job, outcome: WebhookOutcome): void {
    this.metrics.countAttempt(outcome.error ?? 'delivered');
    if (outcome.error === 'address_refused') this.metrics.blockedAddresses.inc();
    if (outcome.ok && job.firstDelivery) {
      this.metrics.commitTo2xxSeconds.observe((performance.now() - job.createdAtMs) / 1_000);
    }
  }

  private askForMore(): void {
    this.announceDue(0);
  }

  /** Starts the work that waited for these outcomes. */
  private goOn(written: readonly DeliveryOutcome[]): void {
    if (this.closing) return;
    for (const finding of written) {
      if (finding.kind === 'released' && finding.delayMs === 0) this.lookAfter(finding.storeId);
    }
    const { isStuck } = this;
    if (this.wasStuck && !isStuck) this.askForMore();
    this.wasStuck = isStuck;
    this.pump();
  }

  private announceDue(delayMs: number): void {
    for (const listener of this.dueListeners) listener(delayMs);
  }

  private isStale(job: Job): boolean {
    return performance.now() - job.leasedAtMs > this.leaseMs - this.exchangeMs;
  }

  private release(job: Job, delayMs: number): void {
    this.outcomes.add({ ...leaseOf(job), kind: 'released', delayMs });
  }

  private reportUnwritten(error: unknown, abandoned: DeliveryOutcome | null): void {
    const message = messageOf(error);
    if (abandoned === null) {
      this.wasStuck = true;
      this.logger.warn(`Outcomes of deliveries cannot be written just now and are kept: ${message}`);
    } else {
      const { deliveryId, kind } = abandoned;
      this.logger.error(
        { deliveryId, kind },
        `The outcome of a delivery could not be written, and it will be sent again: ${message}`,
      );
    }
  }
}

/**
 * Named field by field: spread objects cost more than all the rest of taking one in, and ten thousand come a second.
 */
function jobOf(
  delivery: Omit<CommittedDelivery, 'leasedAtMs' | 'target'>,
  roundFailures: number,
  firstDelivery: boolean,
  leasedAtMs: number,
  createdAtMs: number,
): Job {
  return {
    deliveryId: delivery.deliveryId,
    storeId: delivery.storeId,
    body: delivery.body,
    bytes: Buffer.byteLength(delivery.body),
    url: delivery.url,
    apiKeyHeader: delivery.apiKeyHeader,
    simulated: delivery.simulated,
    redacted: delivery.redacted,
    leaseToken: delivery.leaseToken,
    leasedAtMs,
    createdAtMs,
    roundFailures,
    firstDelivery,
    target: null,
  };
}

/** The target that the delivery's transaction has read, if that was a moment ago. */
function targetNow({ target }: Job): SealedDeliveryTarget | null {
  return target !== null && performance.now() - target.readAtMs < TARGET_GOOD_FOR_MS ? target.sealed : null;
}

function attemptOf(outcome: WebhookOutcome, at: Date): AttemptRecord {
  const { durationMs, responseStatus, error, responseExcerpt } = outcome;
  return { at, durationMs, responseStatus, error, responseExcerpt };
}

function leaseOf({ deliveryId, storeId, leaseToken }: Job): {
  readonly deliveryId: string;
  readonly storeId: string;
  readonly leaseToken: string;
} {
  return { deliveryId, storeId, leaseToken };
}

/** Only these two statuses give the header its meaning of "come back then" (contract 7.20). */
function retryAfterMs({ responseStatus, retryAfter }: WebhookOutcome, now: Date): number | null {
  return responseStatus === 429 || responseStatus === 503 ? parseRetryAfterMs(retryAfter, now) : null;
}

/** The database is away, or two transactions got in each other's way: the same statement may succeed later. */
function isTemporary(error: unknown): boolean {
  if (error instanceof DomainError) return error.kind === 'unavailable';
  return isRetryable(error ?? {}) || isUnavailable(error ?? {});
}
