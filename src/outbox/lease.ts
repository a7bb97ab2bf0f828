/**
 * How long a delivery belongs to the process that took it, in milliseconds. Together with the second that a replica needs
 * to notice, it stays below the 30 s within which a dead replica's work is taken over (decisions §7).
 */
const LEASE_MS = 28_000;

/** What a lease needs beyond one exchange with the merchant: waiting in memory before, settling after. */
const LEASE_MARGIN_MS = 20_000;

/** The lease under a `WEBHOOK_TIMEOUT`. Longer exchanges than the default's lengthen it, so that none outlives its lease. */
export function deliveryLeaseMs(webhookTimeoutMs: number): number {
  return Math.max(LEASE_MS, webhookTimeoutMs + LEASE_MARGIN_MS);
}
