import type { SubmissionKind } from './payment.js';

/*
 * When a submission is wrong, in SQL (contract 4.81). `t` is its row in `submissions`; intervals are parameters such as
 * `$2`.
 */

/** A receipt of the store that fits the submission: who has one did not guess, however late it came (contract 4.83). */
export function fittingReceipt(kind: SubmissionKind, window: string): string {
  const fits =
    kind === 'trx_id'
      ? 'r.trx_id = t.value'
      : `r.last4digit = t.value AND r.amount_minor = t.amount_minor AND r.currency = t.currency
      AND t.at >= r.money_from - ${window}::interval AND t.at <= r.money_until + ${window}::interval`;
  return `SELECT FROM receipts r
    WHERE r.store_id = t.store_id AND r.status <> 'ignored' AND NOT r.simulated AND ${fits}`;
}

/**
 * The last instant after which the store's phone was heard twice, `qrWindow` apart; null while it says that messages
 * are pending. A submission whose window was over by then is wrong, if no receipt fits it.
 */
export function heardTwiceAt(qrWindow: string): string {
  return `(SELECT CASE WHEN NOT s.phone_has_backlog THEN
      (SELECT max(sign.at) FROM phone_signs sign
       WHERE sign.store_id = t.store_id AND sign.at <= s.phone_last_seen_at - ${qrWindow}::interval) END
    FROM store_states s WHERE s.store_id = t.store_id)`;
}

/** Nothing was submitted for the row of `payments` but digits that are wrong (contract 4.96). */
export function hasOnlyWrongDigits(qrWindow: string): string {
  return `NOT EXISTS (SELECT FROM submissions t
    WHERE t.payment_id = payments.id AND t.store_id = payments.store_id
      AND NOT COALESCE(t.kind = 'last4digit' AND t.at + ${qrWindow}::interval < ${heardTwiceAt(qrWindow)}
                       AND NOT EXISTS (${fittingReceipt('last4digit', qrWindow)}), false))`;
}
