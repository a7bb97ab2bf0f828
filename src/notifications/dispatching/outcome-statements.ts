import type { Statement } from '../../platform/database/index.js';
import { UNLEASED } from './lease.js';

/** The deliveries that a statement may change: those of all stores, or (on a cluster) of one. */
type Scope = 'all' | 'store';

/** A statement for the first try of a batch, and one for later tries, which looks for what the first has written. */
interface Tries {
  readonly first: Statement;
  readonly again: Statement;
}

/** The two statements that write outcomes into `deliveries`. */
export interface OutcomeStatements {
  readonly delivered: Tries;
  readonly others: Tries;
}

/** Skips outcomes that an earlier try of the same batch has committed: their attempts are there. */
const UNLESS_WRITTEN = `AND NOT EXISTS (
    SELECT 1 FROM delivery_attempts a
    WHERE a.delivery_id = d.id AND a.store_id = d.store_id AND a.number = d.attempt_count AND a.at = r.at
      AND a.duration_ms = r.duration_ms)`;

/** Columns of each changed delivery; `place` is that of its outcome in the batch, counted from 1. */
const CHANGED = 'r.place::integer, d.attempt_count, d.url IS NULL AS of_store';

const ATTEMPTED = {
  delivery_id: 'uuid',
  store_id: 'uuid',
  at: 'timestamptz',
  duration_ms: 'integer',
} as const;
const OUTCOME = {
  ...ATTEMPTED,
  lease_token: 'uuid',
  kind: 'text',
  failures_before: 'integer',
  due_at: 'timestamptz',
  fresh_due_at: 'timestamptz',
} as const;

/** True while the process that brings the outcome still holds the lease. */
const HOLDS = '(d.lease_token = r.lease_token) IS TRUE';
/** The next attempt: by the first step of the schedule if somebody has begun it anew meanwhile. */
const DUE_AT =
  "CASE WHEN r.kind <> 'failed' OR d.round_failures = r.failures_before THEN r.due_at ELSE r.fresh_due_at END";

/**
 * Builds the statements for all stores or for one. They take an array for each column of a batch; their last parameter
 * is the size of the batch, or (for one store) the store.
 */
export function outcomeStatements(scope: Scope): OutcomeStatements {
  const tries = (name: string, textFor: (unlessWritten: string) => string): Tries => ({
    first: { name: `${name}-${scope}`, text: textFor('') },
    again: { name: `${name}-${scope}-again`, text: textFor(UNLESS_WRITTEN) },
  });
  return {
    // A 2xx counts whoever holds the lease: the merchant has the event.
    delivered: tries(
      'deliveries-delivered',
      (unlessWritten) => `
      UPDATE deliveries d SET status = 'delivered', due_at = NULL, ${UNLEASED}, attempt_count = d.attempt_count + 1,
        delivered_at = now()
      FROM ${batchOf(scope, ATTEMPTED)}
      WHERE d.id = r.delivery_id AND d.store_id = r.store_id ${inScope(scope, ATTEMPTED)} ${unlessWritten}
      RETURNING ${CHANGED}`,
    ),
    // Everything but a 2xx changes the delivery only under the lease, but every attempt that was made is kept.
    others: tries(
      'deliveries-not-delivered',
      (unlessWritten) => `
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
      WHERE d.id = r.delivery_id AND d.store_id = r.store_id ${inScope(scope, OUTCOME)}
        AND (r.at IS NOT NULL OR ${HOLDS}) ${unlessWritten}
      RETURNING ${CHANGED}`,
    ),
  };
}

/**
 * The batch as rows. With its size as a parameter the plan is kept: by the arrays alone, PostgreSQL would plan a small
 * batch anew each time, which takes as long as writing it.
 */
function batchOf(scope: Scope, columns: Readonly<Record<string, string>>): string {
  const names = Object.keys(columns);
  const arrays = Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`);
  const rows = `unnest(${arrays.join(', ')}) WITH ORDINALITY AS r (${names.join(', ')}, place)`;
  return scope === 'store' ? rows : `(SELECT * FROM ${rows} LIMIT $${names.length + 1}) r`;
}

function inScope(scope: Scope, columns: object): string {
  return scope === 'all' ? '' : `AND d.store_id = $${Object.keys(columns).length + 1}`;
}
