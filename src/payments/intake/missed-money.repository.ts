import { Injectable } from '@nestjs/common';
import { FIRST_ID } from '../../kernel/ids.js';
import { BY_INDEX, Database, interval, JOINS_AS_WRITTEN } from '../../platform/database/index.js';
import { isWaiting } from '../payments/open-payments.js';
import { SIMULATED_FOR_MS } from '../receipts/receipt.js';

/**
 * Unmatched receipts, in words that their own indexes do not serve: while there are no statistics, the planner takes
 * them for the shortest way, and goes through all that lies free for each payment that waits.
 */
const LIES_FREE = `r.status NOT IN ('matched', 'review', 'void', 'ignored')`;
/** Each by the index of its key: joined by OR, all that lies free would be read. Joined in this order, by index. */
const MISSED = (key: string) => `SELECT r.id, r.store_id FROM payments p
    JOIN submissions t ON t.payment_id = p.id AND t.store_id = p.store_id
    JOIN receipts r ON r.store_id = p.store_id AND ${LIES_FREE} AND ${key}
    WHERE ${isWaiting('$1', 'p')}
      AND r.id > $5 AND (NOT r.simulated OR (r.arrived_at > $4
        AND EXISTS (SELECT FROM stores s WHERE s.id = r.store_id AND s.simulation_enabled)))`;
const MISSED_RECEIPTS = `${MISSED(`t.kind = 'trx_id' AND r.trx_id = t.value`)}
  UNION ${MISSED(`t.kind = 'last4digit' AND r.last4digit = t.value AND r.amount_minor = p.pay_amount_minor
      AND r.currency = p.currency AND r.status <> 'ignored'
      AND t.at BETWEEN r.money_from - $2::interval AND r.money_until + $2::interval`)}
  ORDER BY id LIMIT $3`;
const OVERDUE_WITH_DIGITS = `SELECT DISTINCT p.grace_ends_at, p.id, t.value, p.store_id FROM payments p
    JOIN submissions t ON t.payment_id = p.id AND t.store_id = p.store_id AND t.kind = 'last4digit'
    JOIN receipts r ON r.store_id = p.store_id AND r.last4digit = t.value AND ${LIES_FREE}
      AND r.amount_minor = p.pay_amount_minor AND r.currency = p.currency AND NOT r.simulated
      AND r.money_until >= p.created_at AND r.money_from <= p.grace_ends_at
    WHERE p.status = 'submitted' AND p.grace_ends_at <= $1 AND p.grace_ends_at >= $2
      AND (p.grace_ends_at, p.id, t.value) > ($2, $3, $4)
    ORDER BY p.grace_ends_at, p.id, t.value LIMIT $5`;

/** A payment whose time is over, with digits that were entered for it. */
export interface Overdue {
  readonly storeId: string;
  readonly paymentId: string;
  readonly last4digit: string;
  readonly graceEndsAt: Date;
}

const FIRST_OVERDUE = { graceEndsAt: new Date(0), paymentId: FIRST_ID, last4digit: '' };

/** How the sweep joins what waits with what lies free, whatever the planner knows of either. */
const IN_ORDER = { settings: [...BY_INDEX, JOINS_AS_WRITTEN] };

/**
 * Finds money that matching has missed, and money that came too late: reads payments, submissions and receipts, and
 * writes nothing.
 */
@Injectable()
export class MissedMoneyRepository {
  constructor(private readonly database: Database) {}

  /**
   * Receipts that lie free although they were entered for a payment that waits, behind the one of that id (null:
   * all): the safety net under matching. Normally empty. An entry that was answered 409 waits like the others. What
   * nobody can be given stays in this list, so whoever comes round again goes on behind the last one.
   */
  async listMissedReceipts(
    now: Date,
    windowMs: number,
    afterReceiptId: string | null,
    limit: number,
  ): Promise<{ storeId: string; receiptId: string }[]> {
    const simulatedSince = new Date(now.getTime() - SIMULATED_FOR_MS);
    const values = [now, interval(windowMs), limit, simulatedSince, afterReceiptId ?? FIRST_ID];
    const rows = await this.database.transaction(
      (tx) => tx.last<{ id: string; store_id: string }>(MISSED_RECEIPTS, values),
      IN_ORDER,
    );
    return rows.map((row) => ({ storeId: row.store_id, receiptId: row.id }));
  }

  /**
   * Payments whose time to wait is over and that have entered digits: their money may have come outside the window.
   * The earliest first, behind `after` (null: from the first).
   */
  async listOverdueWithDigits(now: Date, after: Overdue | null, limit: number): Promise<Overdue[]> {
    const { graceEndsAt, paymentId, last4digit } = after ?? FIRST_OVERDUE;
    const rows = await this.database.transaction(
      (tx) =>
        tx.last<{ id: string; store_id: string; value: string; grace_ends_at: Date }>(OVERDUE_WITH_DIGITS, [
          ...[now, graceEndsAt, paymentId],
          ...[last4digit, limit],
        ]),
      IN_ORDER,
    );
    return rows.map((row) => ({
      storeId: row.store_id,
      paymentId: row.id,
      last4digit: row.value,
      graceEndsAt: row.grace_ends_at,
    }));
  }
}
