import { expect } from 'vitest';
import type { TestDatabase } from './test-database.js';

interface Violation {
  readonly rule: string;
  readonly rows: unknown[];
}

/** Each statement finds what must not be there in the stores `$1`. */
const MUST_BE_EMPTY: Readonly<Record<string, string>> = {
  'a receipt belongs to one payment at most': `
    SELECT receipt_id, count(*) FROM payments WHERE store_id = ANY ($1) AND receipt_id IS NOT NULL
    GROUP BY receipt_id HAVING count(*) > 1`,
  'a verified payment has a receipt of equal amount and currency, or an approval': `
    SELECT p.id, p.pay_amount_minor, p.currency, r.amount_minor AS received, r.currency AS received_currency
    FROM payments p LEFT JOIN receipts r ON r.id = p.receipt_id
    WHERE p.store_id = ANY ($1) AND p.status = 'verified' AND p.approved_at IS NULL
      AND (r.id IS NULL OR r.store_id <> p.store_id OR r.amount_minor <> p.pay_amount_minor OR r.currency <> p.currency)`,
  'what nobody decided by hand was entered: same TrxID, or same digits in the window, and an allowed wallet': `
    SELECT p.id, p.submitted_trx_id, p.submitted_last4, r.trx_id, r.last4digit, r.provider, r.flags
    FROM payments p JOIN receipts r ON r.id = p.receipt_id
    WHERE p.store_id = ANY ($1) AND p.status = 'verified' AND p.approved_at IS NULL
      AND NOT EXISTS (SELECT FROM audit_entries a
                      WHERE a.store_id = p.store_id AND a.action = 'receipt.matched'
                        AND a.details ->> 'paymentId' = p.id::text)
      AND NOT (
        EXISTS (SELECT FROM submissions t
                WHERE t.payment_id = p.id AND t.standing <> 'surplus'
                  AND COALESCE(t.provider, r.provider) IN
                      (r.provider, CASE WHEN r.last4digit IS NOT NULL THEN 'qr' ELSE r.provider END)
                  AND ((t.kind = 'trx_id' AND t.value = r.trx_id)
                       OR (t.kind = 'last4digit' AND t.value = r.last4digit
                           AND t.at BETWEEN r.money_from - interval '3 minutes' AND r.money_until + interval '3 minutes')))
        AND r.flags - 'balance_gap' = '[]'
        AND COALESCE(p.requested_provider, r.provider) IN
            (r.provider, CASE WHEN r.last4digit IS NOT NULL THEN 'qr' ELSE r.provider END))`,
  'money of a payment that was approved over less, or over none, verifies no other by itself': `
    SELECT p.id, approved.id AS approved_id FROM payments p JOIN receipts r ON r.id = p.receipt_id
      JOIN submissions t ON t.store_id = p.store_id AND t.kind = 'trx_id' AND t.value = r.trx_id
      JOIN payments approved ON approved.id = t.payment_id AND approved.id <> p.id
    WHERE p.store_id = ANY ($1) AND p.status = 'verified' AND p.approved_at IS NULL AND NOT r.simulated
      AND approved.status = 'verified' AND approved.approved_at < p.verified_at
      AND (approved.receipt_id IS NULL OR approved.received_amount_minor < approved.pay_amount_minor)
      AND NOT EXISTS (SELECT FROM audit_entries a
                      WHERE a.store_id = p.store_id AND a.action = 'receipt.matched'
                        AND a.details ->> 'paymentId' = p.id::text)`,
  'what a payment says it received is what its receipt says': `
    SELECT p.id FROM payments p JOIN receipts r ON r.id = p.receipt_id
    WHERE p.store_id = ANY ($1)
      AND (p.received_amount_minor, p.received_currency, p.provider, p.trx_id, p.payer_number, p.simulated)
      IS DISTINCT FROM (r.amount_minor, r.currency, r.provider, r.trx_id, r.counterparty, r.simulated)`,
  'a payment without a receipt has received nothing': `
    SELECT id, status FROM payments
    WHERE store_id = ANY ($1) AND receipt_id IS NULL AND received_amount_minor IS NOT NULL`,
  'only verified payments and those in review hold a receipt': `
    SELECT id, status FROM payments
    WHERE store_id = ANY ($1) AND receipt_id IS NOT NULL AND status NOT IN ('verified', 'review')`,
  'a receipt is matched exactly when a verified payment holds it': `
    SELECT r.id, r.status, p.status AS payment_status FROM receipts r LEFT JOIN payments p ON p.receipt_id = r.id
    WHERE r.store_id = ANY ($1) AND (r.status = 'matched') <> (p.status IS NOT DISTINCT FROM 'verified')`,
  'a receipt that a payment in review holds is in review': `
    SELECT r.id, r.status FROM receipts r JOIN payments p ON p.receipt_id = r.id
    WHERE r.store_id = ANY ($1) AND p.status = 'review' AND r.status <> 'review'`,
  'an unclaimed receipt in review is contested by a payment in review, or doubtful itself': `
    SELECT r.id, r.trx_id, r.last4digit FROM receipts r
    WHERE r.store_id = ANY ($1) AND r.status = 'review'
      AND NOT EXISTS (SELECT FROM payments p WHERE p.receipt_id = r.id)
      AND NOT r.flags ?| ARRAY['other_store', 'possible_duplicate', 'simulated_before', 'approved_before']
      AND NOT EXISTS (
        SELECT FROM receipt_claims c JOIN payments p ON p.id = c.payment_id
        WHERE c.receipt_id = r.id AND c.ended_at IS NULL AND p.status = 'review')`,
  'at most twenty payments are in review over one receipt': `
    SELECT c.receipt_id FROM receipt_claims c JOIN payments p ON p.id = c.payment_id AND p.status = 'review'
    WHERE c.store_id = ANY ($1) GROUP BY c.receipt_id HAVING count(*) > 20`,
  'a void receipt pays nothing': `
    SELECT p.id FROM payments p JOIN receipts r ON r.id = p.receipt_id
    WHERE p.store_id = ANY ($1) AND r.status = 'void'`,
  'no two open payments share an amount that is reserved': `
    SELECT a.id, b.id FROM payments a JOIN payments b ON b.store_id = a.store_id AND b.id <> a.id
      AND b.currency = a.currency AND b.pay_amount_minor = a.pay_amount_minor
    WHERE a.store_id = ANY ($1) AND a.pay_amount_reserved AND b.pay_amount_reserved`,
  'an ignored receipt belongs to nobody': `
    SELECT r.id FROM receipts r JOIN payments p ON p.receipt_id = r.id
    WHERE r.store_id = ANY ($1) AND r.status = 'ignored'`,
  'a receipt is there once': `
    SELECT provider, trx_id, digest FROM receipts WHERE store_id = ANY ($1) AND status <> 'ignored'
    GROUP BY store_id, provider, trx_id, digest, simulated HAVING count(*) > 1`,
  'every verified payment has one event, and no other payment has any': `
    SELECT p.id, p.status, count(e.id) FROM payments p
      LEFT JOIN events e ON e.payment_id = p.id AND e.event = 'payment.verified'
    WHERE p.store_id = ANY ($1) GROUP BY p.id, p.status
    HAVING count(e.id) <> CASE WHEN p.status = 'verified' THEN 1 ELSE 0 END`,
  'every event has one delivery, and payment.in_review, which subscribers alone hear, has none': `
    SELECT e.id, count(d.id) FROM events e LEFT JOIN deliveries d ON d.id = e.id
    WHERE e.store_id = ANY ($1) GROUP BY e.id, e.event
    HAVING count(d.id) <> CASE WHEN e.event = 'payment.in_review' THEN 0 ELSE 1 END`,
  'an event says what its payment says': `
    SELECT e.body FROM events e JOIN payments p ON p.id = e.payment_id
    WHERE e.store_id = ANY ($1) AND e.event = 'payment.verified' AND (
      (e.body::jsonb ->> 'paymentId')::uuid <> p.id OR (e.body::jsonb ->> 'storeId')::uuid <> p.store_id
      OR (e.body::jsonb ->> 'amount')::numeric * 100 <> p.amount_minor OR e.body::jsonb ->> 'currency' <> p.currency
      OR e.body::jsonb ->> 'trxId' IS DISTINCT FROM p.trx_id OR e.body::jsonb ->> 'provider' IS DISTINCT FROM p.provider)`,
  'a payment in review says why': `
    SELECT id FROM payments WHERE store_id = ANY ($1) AND status = 'review' AND review_reason IS NULL`,
};

/** A submission waits although a receipt for it lies there: the match was lost. */
const LOST_MATCHES: Readonly<Record<string, string>> = {
  'no entry waits for a TrxID whose receipt is free': `
    SELECT p.id, t.value FROM payments p JOIN submissions t ON t.payment_id = p.id AND t.kind = 'trx_id'
    WHERE p.store_id = ANY ($1) AND p.status = 'submitted' AND p.grace_ends_at > $2
      AND EXISTS (SELECT FROM receipts r
                  WHERE r.store_id = p.store_id AND r.trx_id = t.value AND r.status = 'unmatched'
                    AND (NOT r.simulated OR (r.arrived_at > $2::timestamptz - interval '1 hour'
                         AND (SELECT simulation_enabled FROM stores WHERE id = p.store_id))))`,
  'no entry waits for digits whose receipt is free': `
    SELECT p.id, t.value FROM payments p JOIN submissions t ON t.payment_id = p.id AND t.kind = 'last4digit'
    WHERE p.store_id = ANY ($1) AND p.status = 'submitted' AND p.grace_ends_at > $2
      AND EXISTS (SELECT FROM receipts r
                  WHERE r.store_id = p.store_id AND r.last4digit = t.value AND r.status = 'unmatched'
                    AND r.amount_minor = p.pay_amount_minor AND r.currency = p.currency
                    AND (NOT r.simulated OR (r.arrived_at > $2::timestamptz - interval '1 hour'
                         AND (SELECT simulation_enabled FROM stores WHERE id = p.store_id)))
                    AND t.at BETWEEN r.money_from - interval '3 minutes' AND r.money_until + interval '3 minutes')`,
};

/** Fails unless the money of these stores is sound: what must always hold, straight from the database. */
export async function expectSoundMoney(database: TestDatabase, ...storeIds: string[]): Promise<void> {
  expect(await violations(database, MUST_BE_EMPTY, [storeIds])).toEqual([]);
}

/** Fails unless the money of all stores is sound. */
export async function expectSoundMoneyEverywhere(database: TestDatabase): Promise<void> {
  const stores = await database.query<{ id: string }>('SELECT id FROM stores');
  await expectSoundMoney(database, ...stores.map(({ id }) => id));
}

/** Fails when a submission waits although its receipt is there. */
export async function expectNoLostMatch(
  database: TestDatabase,
  now: Date,
  ...storeIds: string[]
): Promise<void> {
  expect(await violations(database, LOST_MATCHES, [storeIds, now])).toEqual([]);
}

async function violations(
  database: TestDatabase,
  rules: Readonly<Record<string, string>>,
  values: unknown[],
): Promise<Violation[]> {
  const found: Violation[] = [];
  for (const [rule, statement] of Object.entries(rules)) {
    const rows = await database.query(statement, values);
    if (rows.length > 0) found.push({ rule, rows });
  }
  return found;
}
