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
import { UNLEASED } from './lease.js';
import type { AttemptRecord, DeliveryOutcome } from './outcomes.js';

/**
 * The deliveries that a statement changes: those of any stores, or (on a cluster) of the one store in its last value.
 */
type Scope = 'all' | 'store';

/** Unless an earlier try of the same batch has been committed; the attempt that it wrote tells. */
const UNLESS_WRITTEN = `AND NOT EXISTS (
    SELECT 1 FROM delivery_attempts a
    WHERE a.delivery_id = d.id AND a.store_id = d.store_id AND a.number = d.attempt_count AND a.at = r.at
      AND a.duration_ms = r.duration_ms)`;

/**
 * The batch as rows. With its size as a parameter the plan is kept: by the arrays alone, PostgreSQL would plan a
 * small batch anew each time, which takes as long as writing it. The last parameter is the size, or (on a cluster)
 * the store.
 */
const batchOf = (scope: Scope, columns: Readonly<Record<string, string>>) => {
  const names = Object.keys(columns);
  const arrays = Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`);
  const rows = `unnest(${arrays.join(', ')}) WITH ORDINALITY AS r (${names.join(', ')}, place)`;
  return scope === 'store' ? rows : `(SELECT * FROM ${rows} LIMIT $${names.length + 1}) r`;
};
const ofStore = (scope: Scope, columns: object) =>
  scope === 'all' ? '' : `AND d.store_id = $${Object.keys(columns).length + 1}`;

/** `place` counts from 1, as arrays do there. */
const CHANGED = 'r.place::integer, d.attempt_count, d.url IS NULL AS of_store';

const ATTEMPTED = {
  delivery_id: 'uuid',
  store_id: 'uuid',
  at: 'timestamptz',
  duration_ms: 'integer',
} as const;

/** A 2xx counts whoever holds the lease: the merchant has the event. */
const DELIVERED = statements(
  'deliveries-settle-delivered',
  (scope, isAgain) => `
  UPDATE deliveries d SET status = 'delivered', due_at = NULL, ${UNLEASED}, attempt_count = d.attempt_count + 1,
    delivered_at = now()
  FROM ${batchOf(scope, ATTEMPTED)}
  WHERE d.id = r.delivery_id AND d.store_id = r.store_id ${ofStore(scope, ATTEMPTED)}
    ${isAgain ? UNLESS_WRITTEN : ''}
  RETURNING ${CHANGED}`,
);

/** The process that found out still holds the delivery. */
const HOLDS = '(d.lease_token = r.lease_token) IS TRUE';
/** The next attempt; that of the first step again when the schedule was begun anew meanwhile. */
const DUE_AT =
  "CASE WHEN r.kind <> 'failed' OR d.round_failures = r.failures_before THEN r.due_at ELSE r.fresh_due_at END";
const OUTCOME = {
  ...ATTEMPTED,
  lease_token: 'uuid',
  kind: 'text',
  failures_before: 'integer',
  due_at: 'timestamptz',
  fresh_due_at: 'timestamptz',
} as const;

/** Everything but a 2xx changes the delivery only under the lease, but every attempt that was made is kept. */
const OTHERS = statements(
  'deliveries-settle-others',
  (scope, isAgain) => `
  UPDATE deliveries d SET
    status = CASE
      WHEN NOT ${HOLDS} THEN d.status
      WHEN r.kind = 'held' THEN 'held'
      WHEN ${DUE_AT} IS NULL THEN 'failed'
      ELSE 'pending' END,
    due_at = CASE WHEN ${HOLDS} THEN ${DUE_AT} ELSE d.due_at END,
    leased_until = CASE WHEN ${HOLDS} THEN NULL ELSE d.leased_until END,
    lease_token = CASE WHEN ${HOLDS} THEN NULL ELSE d.lease_token END,
    round_failures = d.round_failures + (r.kind = 'failed' AND ${HOLDS})::integer,
    attempt_count = d.attempt_count + (r.at IS NOT NULL)::integer
  FROM ${batchOf(scope, OUTCOME)}
  WHERE d.id = r.delivery_id AND d.store_id = r.store_id ${ofStore(scope, OUTCOME)}
    AND (r.at IS NOT NULL OR ${HOLDS})
    ${isAgain ? UNLESS_WRITTEN : ''}
  RETURNING ${CHANGED}`,
);

const ATTEMPT_COLUMNS =
  'delivery_id, store_id, number, at, duration_ms, response_status, error, response_excerpt';
const ATTEMPTS: Statement = {
  name: 'delivery-attempts-append-many',
  text: `INSERT INTO delivery_attempts (${ATTEMPT_COLUMNS})
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::integer[], $4::timestamptz[], $5::integer[], $6::integer[], $7::text[],
      $8::text[])`,
};
const ATTEMPT: Statement = {
  name: 'delivery-attempts-append',
  text: `INSERT INTO delivery_attempts (${ATTEMPT_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
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
interface Numbered {
  readonly outcome: DeliveryOutcome;
  readonly attempt: AttemptRecord;
  readonly number: number;
}

/** Writes what became of deliveries into `deliveries`, `delivery_attempts` and the state of the store. */
@Injectable()
export class DeliveryOutcomesRepository {
  constructor(
    private readonly database: Database,
    private readonly states: StoreStates,
  ) {}

  /**
   * Writes what became of deliveries, each at most once in `batch`. `again`: an earlier try may have been committed,
   * all of it or the part of some stores. One transaction on one server; on a cluster one for each store, on the
   * store's node.
   */
  async settle(batch: readonly DeliveryOutcome[], again: boolean): Promise<void> {
    if (!this.database.isDistributed) return this.write(batch, again, null);
    for (const storeId of new Set(batch.map((outcome) => outcome.storeId))) {
      const ofStore = batch.filter((outcome) => outcome.storeId === storeId);
      await this.write(ofStore, again, storeId);
    }
  }

  /**
   * Planned by index only, and the plan is kept: planning costs more than all the rest of a small batch. What was
   * delivered leaves with BEGIN, the attempts with COMMIT.
   */
  private write(batch: readonly DeliveryOutcome[], again: boolean, storeId: string | null): Promise<void> {
    const delivered = batch.filter(({ kind }) => kind === 'delivered');
    const others = batch.filter(({ kind }) => kind !== 'delivered');
    const storeIds = storesOf(batch);
    return this.database.transaction(
      async (tx) => {
        const [settled, failing, clock] = await together([
          delivered.length === 0 ? [] : this.settleDelivered(tx, delivered, again, storeId),
          storeIds.length === 0 ? [] : this.states.findFailing(tx, storeIds),
          others.length === 0 ? [] : tx.query<{ at: Date }>(CLOCK),
        ]);
        const at = clock[0]?.at ?? null;
        const handedBack = at === null ? [] : await this.settleOthers(tx, others, at, again, storeId);
        const changed = [...settled, ...handedBack];
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

  private async settleDelivered(
    tx: Transaction,
    outcomes: readonly DeliveryOutcome[],
    again: boolean,
    storeId: string | null,
  ): Promise<Changed[]> {
    const values = [...attemptValues(outcomes), storeId ?? outcomes.length];
    const rows = await tx.query<ChangedRow>(statementOf(DELIVERED, storeId, again), values);
    return changedOf(rows, outcomes);
  }

  private async settleOthers(
    tx: Transaction,
    outcomes: readonly DeliveryOutcome[],
    at: Date,
    again: boolean,
    storeId: string | null,
  ): Promise<Changed[]> {
    const values = [
      ...attemptValues(outcomes),
      plainArray(outcomes.map(({ leaseToken }) => leaseToken)),
      plainArray(outcomes.map(({ kind }) => kind)),
      plainArray(outcomes.map((outcome) => (outcome.kind === 'failed' ? outcome.failuresBefore : 0))),
      plainArray(outcomes.map((outcome) => dueAt(at, delayMsOf(outcome)))),
      plainArray(outcomes.map((one) => dueAt(at, one.kind === 'failed' ? one.freshDelayMs : null))),
      storeId ?? outcomes.length,
    ];
    const rows = await tx.query<ChangedRow>(statementOf(OTHERS, storeId, again), values);
    return changedOf(rows, outcomes);
  }

  private async append(tx: Transaction, attempts: readonly Numbered[], isLast: boolean): Promise<void> {
    if (attempts.length === 0) return;
    if (this.database.isDistributed) {
      await Promise.all(attempts.map((one) => tx.execute(ATTEMPT, attemptRow(one))));
      return;
    }
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
}

/** For the first try of a batch, and for another: who is sure that nothing is written need not look for it. */
interface Settling {
  readonly first: Readonly<Record<Scope, Statement>>;
  readonly again: Readonly<Record<Scope, Statement>>;
}

function statements(name: string, textFor: (scope: Scope, isAgain: boolean) => string): Settling {
  const both = (suffix: string, isAgain: boolean) => ({
    all: { name: `${name}-all${suffix}`, text: textFor('all', isAgain) },
    store: { name: `${name}-store${suffix}`, text: textFor('store', isAgain) },
  });
  return { first: both('', false), again: both('-again', true) };
}

function statementOf(settling: Settling, storeId: string | null, again: boolean): Statement {
  return settling[again ? 'again' : 'first'][storeId === null ? 'all' : 'store'];
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

function attemptRow({ outcome, attempt, number }: Numbered): unknown[] {
  const { at, durationMs, responseStatus, error, responseExcerpt } = attempt;
  return [
    outcome.deliveryId,
    outcome.storeId,
    number,
    at,
    durationMs,
    responseStatus,
    error,
    storable(responseExcerpt),
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
function storable(text: string | null): string | null {
  return text === null || isStorableText(text) ? text : text.toWellFormed().replaceAll('\u0000', ' ');
}
