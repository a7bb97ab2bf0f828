import { Injectable } from '@nestjs/common';
import {
  BY_INDEX,
  Database,
  plainArray,
  type Statement,
  textArray,
  together,
  type Transaction,
} from '../../platform/database/index.js';
import { isStorableText } from '../../kernel/text.js';
import { StoreStates } from '../../stores/index.js';
import { type OutcomeStatements, outcomeStatements } from './outcome-statements.js';
import type { AttemptRecord, DeliveryOutcome } from './outcomes.js';

export const ATTEMPT_COLUMNS =
  'delivery_id, store_id, number, at, duration_ms, response_status, error, response_excerpt';
const ATTEMPTS: Statement = {
  name: 'delivery-attempts-append-many',
  text: `INSERT INTO delivery_attempts (${ATTEMPT_COLUMNS})
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::integer[], $4::timestamptz[], $5::integer[], $6::integer[], $7::text[],
      $8::text[])`,
};
const CLOCK: Statement = { name: 'deliveries-clock', text: 'SELECT clock_timestamp() AS at' };

interface ChangedRow {
  /** That of its outcome among those that were written with it, from 1. */
  place: number;
  attempt_count: number;
  /** Sent to the store's URL, not to an address of its own. */
  of_store: boolean;
}

/** An outcome that has changed its delivery. */
interface Changed {
  readonly outcome: DeliveryOutcome;
  /** The place of its attempt among those of the delivery. */
  readonly number: number;
  readonly ofStore: boolean;
}

/** An attempt and the place that it has got among those of its delivery. */
export interface Numbered {
  readonly outcome: DeliveryOutcome;
  readonly attempt: AttemptRecord;
  readonly number: number;
}

/**
 * Writes what became of deliveries into `deliveries`, `delivery_attempts` and the state of the store: a batch in one
 * transaction.
 */
@Injectable()
export class DeliveryOutcomesRepository {
  protected readonly statements: OutcomeStatements = outcomeStatements('all');

  constructor(
    private readonly database: Database,
    private readonly states: StoreStates,
  ) {}

  /**
   * Writes what became of deliveries, each at most once in `batch`. `again`: an earlier try may have been committed.
   *
   * Planned by index only, and the plan is kept: planning costs more than all the rest of a small batch. What was
   * delivered leaves with BEGIN, the attempts with COMMIT.
   */
  async record(batch: readonly DeliveryOutcome[], again: boolean): Promise<void> {
    const delivered = batch.filter(({ kind }) => kind === 'delivered');
    const others = batch.filter(({ kind }) => kind !== 'delivered');
    const storeIds = storesOf(batch);
    return this.database.transaction(
      async (tx) => {
        const [changedByDelivered, failing, clock] = await together([
          delivered.length === 0 ? [] : this.writeDelivered(tx, delivered, again),
          storeIds.length === 0 ? [] : this.states.findFailing(tx, storeIds),
          others.length === 0 ? [] : tx.query<{ at: Date }>(CLOCK),
        ]);
        const at = clock[0]?.at ?? null;
        const changedByOthers = at === null ? [] : await this.writeOthers(tx, others, at, again);
        const changed = [...changedByDelivered, ...changedByOthers];
        const turned = turnedOf(changed, new Set(failing));
        const attempts = numbered(changed);
        if (turned.length === 0) return this.append(tx, attempts, true);
        await this.append(tx, attempts, false);
        // One order for everybody, so that two replicas do not wait for each other.
        for (const store of turned)
          await this.states.markWebhook(tx, store.storeId, store.healthy ? null : at);
      },
      { settings: BY_INDEX },
    );
  }

  /** The last value of the statements that write `outcomes`. */
  protected lastValueOf(outcomes: readonly DeliveryOutcome[]): unknown {
    return outcomes.length;
  }

  /** `isLast`: nothing is written behind it. */
  protected async append(tx: Transaction, attempts: readonly Numbered[], isLast: boolean): Promise<void> {
    if (attempts.length === 0) return;
    const values = [
      plainArray(attempts.map(({ outcome }) => outcome.deliveryId)),
      plainArray(attempts.map(({ outcome }) => outcome.storeId)),
      plainArray(attempts.map(({ number }) => number)),
      plainArray(attempts.map(({ attempt }) => attempt.at.toISOString())),
      plainArray(attempts.map(({ attempt }) => attempt.durationMs)),
      plainArray(attempts.map(({ attempt }) => attempt.responseStatus)),
      textArray(attempts.map(({ attempt }) => attempt.error)),
      textArray(attempts.map(({ attempt }) => storable(attempt.responseExcerpt))),
    ];
    await (isLast ? tx.last(ATTEMPTS, values) : tx.execute(ATTEMPTS, values));
  }

  private async writeDelivered(
    tx: Transaction,
    outcomes: readonly DeliveryOutcome[],
    again: boolean,
  ): Promise<Changed[]> {
    const values = [...attemptValues(outcomes), this.lastValueOf(outcomes)];
    const statement = this.statements.delivered[again ? 'again' : 'first'];
    return changedOf(await tx.query<ChangedRow>(statement, values), outcomes);
  }

  private async writeOthers(
    tx: Transaction,
    outcomes: readonly DeliveryOutcome[],
    at: Date,
    again: boolean,
  ): Promise<Changed[]> {
    const values = [
      ...attemptValues(outcomes),
      plainArray(outcomes.map(({ leaseToken }) => leaseToken)),
      plainArray(outcomes.map(({ kind }) => kind)),
      plainArray(outcomes.map((outcome) => (outcome.kind === 'failed' ? outcome.failuresBefore : 0))),
      plainArray(outcomes.map((outcome) => dueAt(at, delayMsOf(outcome)))),
      plainArray(outcomes.map((one) => dueAt(at, one.kind === 'failed' ? one.freshDelayMs : null))),
      this.lastValueOf(outcomes),
    ];
    const statement = this.statements.others[again ? 'again' : 'first'];
    return changedOf(await tx.query<ChangedRow>(statement, values), outcomes);
  }
}

function changedOf(rows: readonly ChangedRow[], outcomes: readonly DeliveryOutcome[]): Changed[] {
  return rows.map((row) => ({
    outcome: outcomes[row.place - 1]!,
    number: row.attempt_count,
    ofStore: row.of_store,
  }));
}

/** The stores that attempts were made for. */
function storesOf(batch: readonly DeliveryOutcome[]): string[] {
  const ids = new Set<string>();
  for (const outcome of batch) if (attemptOf(outcome) !== null) ids.add(outcome.storeId);
  return [...ids];
}

/** The stores whose endpoint has begun to fail or works again, in the order of the stores. */
function turnedOf(
  changed: readonly Changed[],
  failing: ReadonlySet<string>,
): { readonly storeId: string; readonly healthy: boolean }[] {
  const healthy = new Map<string, boolean>();
  for (const { outcome, ofStore } of changed) {
    const { kind, storeId } = outcome;
    if (!ofStore || (kind !== 'delivered' && kind !== 'failed')) continue;
    healthy.set(storeId, kind === 'delivered' || healthy.get(storeId) === true);
  }
  return [...healthy]
    .filter(([storeId, isHealthy]) => isHealthy === failing.has(storeId))
    .map(([storeId, isHealthy]) => ({ storeId, healthy: isHealthy }))
    .sort((left, right) => (left.storeId < right.storeId ? -1 : 1));
}

function numbered(changed: readonly Changed[]): Numbered[] {
  const attempts: Numbered[] = [];
  for (const { outcome, number } of changed) {
    const attempt = attemptOf(outcome);
    if (attempt !== null) attempts.push({ outcome, attempt, number });
  }
  return attempts;
}

function attemptOf(outcome: DeliveryOutcome): AttemptRecord | null {
  return 'attempt' in outcome ? (outcome.attempt ?? null) : null;
}

function attemptValues(outcomes: readonly DeliveryOutcome[]): unknown[] {
  return [
    plainArray(outcomes.map(({ deliveryId }) => deliveryId)),
    plainArray(outcomes.map(({ storeId }) => storeId)),
    plainArray(outcomes.map((outcome) => attemptOf(outcome)?.at.toISOString() ?? null)),
    plainArray(outcomes.map((outcome) => attemptOf(outcome)?.durationMs ?? null)),
  ];
}

/** On the database's clock. The millisecond makes up for rounding, so that no retry is early. */
function dueAt(at: Date, delayMs: number | null): string | null {
  return delayMs === null ? null : new Date(at.getTime() + Math.ceil(delayMs) + 1).toISOString();
}

function delayMsOf(outcome: DeliveryOutcome): number | null {
  switch (outcome.kind) {
    case 'failed':
    case 'released':
      return outcome.delayMs;
    case 'interrupted':
      return 0;
    case 'delivered':
    case 'held':
      return null;
  }
}

/** Whatever a sender answers, one bad character must not keep a whole batch from being written. */
export function storable(text: string | null): string | null {
  return text === null || isStorableText(text) ? text : text.toWellFormed().replaceAll('\u0000', ' ');
}
