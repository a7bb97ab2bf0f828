/** The margin of a lease beyond one exchange: this multiple of `WEBHOOK_TIMEOUT` … */
const MARGIN_FACTOR = 2.5;
/** … but enough, in milliseconds, for a short wait in memory before the exchange and for writing its outcome … */
const MIN_MARGIN_MS = 4_000;
/** … and no more than this: a dead replica's work should not wait longer for a longer timeout. */
const MAX_MARGIN_MS = 20_000;

/**
 * How long a delivery belongs to the process that took it, in milliseconds: 28 s under the default timeout of 8 s.
 * Together with the second that a replica needs to notice, that stays below the 30 s within which a dead replica's
 * work is taken over (contract 7.24).
 *
 * Follows `WEBHOOK_TIMEOUT`, so that no exchange outlives its lease. A short timeout shortens it, which is safe: what
 * has waited in memory for too long to end within its lease is handed back, not sent.
 */
export function deliveryLeaseMs(webhookTimeoutMs: number): number {
  const marginMs = Math.min(Math.max(webhookTimeoutMs * MARGIN_FACTOR, MIN_MARGIN_MS), MAX_MARGIN_MS);
  return Math.ceil(webhookTimeoutMs + marginMs);
}

/**
 * Nobody has it: a condition on deliveries under this alias. The lease stands in no index: what is taken stays where
 * it is due, so that taking it writes its row alone (docs/performance.md), and who looks for more reads past it.
 */
export const isFree = (delivery: string) =>
  `(${delivery}.leased_until IS NULL OR ${delivery}.leased_until <= now())`;
/** Nobody has it from now on. */
export const UNLEASED = 'leased_until = NULL, lease_token = NULL';
