/*
 * Conditions in SQL for payments that are not decided yet. `at` is a parameter such as `$3`, and `payment` the alias of
 * the row. An expiry counts from its instant, whether or not the sweep has stored it.
 */

/** The payment waits: for its payer, or for the receipt of a submission. */
export function isWaiting(at: string, payment = 'payments'): string {
  return `((${payment}.status = 'pending' AND ${payment}.expires_at > ${at})
    OR (${payment}.status = 'submitted' AND ${payment}.grace_ends_at > ${at}))`;
}

/** The payment waits or is in review. The list of states is the condition of partial indexes. */
export function isOpen(at: string, payment = 'payments'): string {
  return `${payment}.status IN ('pending', 'submitted', 'review')
    AND (${payment}.status = 'review' OR ${isWaiting(at, payment)})`;
}
