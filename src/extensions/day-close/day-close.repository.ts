import { Injectable } from '@nestjs/common';
import { ReplicaReads } from '../../platform/database/index.js';
import { FIRST_ID } from '../../kernel/ids.js';
import type { MinorUnits } from '../../kernel/money.js';

/** The kinds of money of a day, in the order of its statement. */
export const DAY_KINDS = ['verified', 'refunded', 'unclaimed', 'inReview'] as const;
export type DayKind = (typeof DAY_KINDS)[number];

/** From the first to the last millisecond. */
export interface Span {
  readonly from: Date;
  readonly to: Date;
}

export interface KindTotal {
  readonly kind: DayKind;
  readonly provider: string;
  readonly count: number;
  readonly amountMinor: MinorUnits;
}

/** One line of a day's statement. */
export interface DayEntry {
  readonly kind: DayKind;
  /** The instant by which it belongs to the day. */
  readonly at: Date;
  /** Id of the payment, the refund or the receipt. */
  readonly id: string;
  readonly trxId: string | null;
  readonly provider: string;
  readonly amountMinor: MinorUnits;
  readonly currency: string;
  readonly paymentId: string | null;
  readonly counterparty: string | null;
  readonly customerName: string | null;
  readonly note: string | null;
}

/** A receipt as a wallet's statement is compared with. */
export interface KnownReceipt {
  readonly id: string;
  readonly trxId: string;
  readonly amountMinor: MinorUnits;
  readonly receivedAt: Date;
  readonly status: string;
  readonly paymentId: string | null;
}

/** Where a walk through entries goes on. */
export interface EntryPosition {
  readonly at: Date;
  readonly id: string;
}

/*
 * Simulated money is no money. What a payment in review counts is what came for it: the receipt that it holds. Where
 * nobody has submitted anything for it (a user matched a receipt to it), it belongs to the day on which it was made.
 */
const VERIFIED = `FROM payments WHERE store_id = $1 AND verified_at >= $2 AND verified_at <= $3 AND NOT simulated`;
const REFUNDED = `FROM refunds JOIN payments ON payments.id = refunds.payment_id AND payments.store_id = refunds.store_id
  WHERE refunds.store_id = $1 AND payments.store_id = $1 AND refunds.created_at >= $2 AND refunds.created_at <= $3
    AND NOT payments.simulated`;
const UNMATCHED = `FROM receipts WHERE store_id = $1 AND status = 'unmatched' AND received_at >= $2 AND received_at <= $3
  AND NOT simulated`;
const IN_REVIEW = `FROM payments WHERE store_id = $1 AND status = 'review' AND COALESCE(submitted_at, created_at) >= $2
  AND COALESCE(submitted_at, created_at) <= $3 AND NOT simulated`;

const RECEIVED = 'COALESCE(received_amount_minor, pay_amount_minor)';
const RECEIVED_CURRENCY = 'COALESCE(received_currency, currency)';
const REVIEWED_PROVIDER = `COALESCE(provider, submitted_provider, requested_provider, 'unknown')`;

const TOTALS = {
  name: 'day-close-totals',
  text: `SELECT 'verified' AS kind, COALESCE(provider, 'unknown') AS provider, count(*)::integer AS count,
      sum(${RECEIVED})::text AS amount_minor ${VERIFIED} AND ${RECEIVED_CURRENCY} = $4 GROUP BY 2
    UNION ALL SELECT 'refunded', COALESCE(refunds.provider, payments.provider, 'unknown'), count(*)::integer,
      sum(refunds.amount_minor)::text ${REFUNDED} AND refunds.currency = $4 GROUP BY 2
    UNION ALL SELECT 'unclaimed', provider, count(*)::integer, sum(amount_minor)::text ${UNMATCHED} AND currency = $4 GROUP BY 2
    UNION ALL SELECT 'inReview', ${REVIEWED_PROVIDER}, count(*)::integer, sum(COALESCE(received_amount_minor, 0))::text
      ${IN_REVIEW} AND ${RECEIVED_CURRENCY} = $4 GROUP BY 2`,
};

/** Each in the order of its index; from a position on, so that no connection is held while a client reads. */
const ENTRIES: Readonly<Record<DayKind, { readonly name: string; readonly text: string }>> = {
  verified: {
    name: 'day-close-verified',
    text: `SELECT id, verified_at AS at, trx_id, COALESCE(provider, 'unknown') AS provider, ${RECEIVED}::text AS amount_minor,
        ${RECEIVED_CURRENCY} AS currency, id AS payment_id, payer_number AS counterparty, customer_name, note
      ${VERIFIED} AND (verified_at, id) > ($4, $5) ORDER BY verified_at, id LIMIT $6`,
  },
  refunded: {
    name: 'day-close-refunded',
    text: `SELECT refunds.id, refunds.created_at AS at, refunds.trx_id,
        COALESCE(refunds.provider, payments.provider, 'unknown') AS provider, refunds.amount_minor::text AS amount_minor,
        refunds.currency, refunds.payment_id, payments.payer_number AS counterparty, payments.customer_name,
        refunds.reason AS note
      ${REFUNDED} AND (refunds.created_at, refunds.id) > ($4, $5) ORDER BY refunds.created_at, refunds.id LIMIT $6`,
  },
  unclaimed: {
    name: 'day-close-unclaimed',
    text: `SELECT id, received_at AS at, trx_id, provider, amount_minor::text AS amount_minor, currency, NULL AS payment_id,
        counterparty, NULL AS customer_name, NULL AS note
      ${UNMATCHED} AND (received_at, id) > ($4, $5) ORDER BY received_at, id LIMIT $6`,
  },
  inReview: {
    name: 'day-close-in-review',
    text: `SELECT id, COALESCE(submitted_at, created_at) AS at, trx_id, ${REVIEWED_PROVIDER} AS provider,
        COALESCE(received_amount_minor, 0)::text AS amount_minor, ${RECEIVED_CURRENCY} AS currency, id AS payment_id,
        payer_number AS counterparty, customer_name, note
      ${IN_REVIEW} AND (COALESCE(submitted_at, created_at), id) > ($4, $5)
      ORDER BY COALESCE(submitted_at, created_at), id LIMIT $6`,
  },
};

const KNOWN = `SELECT receipts.id, receipts.trx_id, receipts.amount_minor::text AS amount_minor, receipts.received_at,
    receipts.status, payments.id AS payment_id
  FROM receipts LEFT JOIN payments ON payments.receipt_id = receipts.id AND payments.store_id = $1
  WHERE receipts.store_id = $1 AND receipts.provider = $2 AND receipts.trx_id IS NOT NULL AND receipts.status <> 'ignored'
    AND NOT receipts.simulated`;

const KNOWN_BY_ID = {
  name: 'day-close-known-by-id',
  text: `${KNOWN} AND receipts.trx_id = ANY ($3)`,
};
const KNOWN_OF_SPAN = {
  name: 'day-close-known-of-span',
  text: `${KNOWN} AND receipts.received_at >= $3 AND receipts.received_at <= $4 AND (receipts.received_at, receipts.id) > ($5, $6)
    ORDER BY receipts.received_at, receipts.id LIMIT $7`,
};

interface EntryRow {
  readonly id: string;
  readonly at: Date;
  readonly trx_id: string | null;
  readonly provider: string;
  readonly amount_minor: string;
  readonly currency: string;
  readonly payment_id: string | null;
  readonly counterparty: string | null;
  readonly customer_name: string | null;
  readonly note: string | null;
}

interface KnownRow {
  readonly id: string;
  readonly trx_id: string;
  readonly amount_minor: string;
  readonly received_at: Date;
  readonly status: string;
  readonly payment_id: string | null;
}

/** Reads what belongs to a day, and what a wallet's statement is compared with; writes nothing. */
@Injectable()
export class DayCloseRepository {
  constructor(private readonly replica: ReplicaReads) {}

  /** Sums of the money in one currency, by what became of it and wallet. */
  async totals(storeId: string, { from, to }: Span, currency: string): Promise<KindTotal[]> {
    const rows = await this.replica.query<{
      kind: DayKind;
      provider: string;
      count: number;
      amount_minor: string;
    }>(TOTALS, [storeId, from, to, currency]);
    return rows.map(({ amount_minor: amountMinor, ...row }) => ({
      ...row,
      amountMinor: Number(amountMinor),
    }));
  }

  /** At most `limit` entries of one kind behind a position, in order; null begins. */
  async entries(
    storeId: string,
    kind: DayKind,
    { from, to }: Span,
    after: EntryPosition | null,
    limit: number,
  ): Promise<DayEntry[]> {
    const { at, id } = after ?? { at: from, id: FIRST_ID };
    const rows = await this.replica.query<EntryRow>(ENTRIES[kind], [storeId, from, to, at, id, limit]);
    return rows.map((row) => ({
      kind,
      at: row.at,
      id: row.id,
      trxId: row.trx_id,
      provider: row.provider,
      amountMinor: Number(row.amount_minor),
      currency: row.currency,
      paymentId: row.payment_id,
      counterparty: row.counterparty,
      customerName: row.customer_name,
      note: row.note,
    }));
  }

  /** The receipts of a wallet with these ids. */
  async knownById(storeId: string, provider: string, trxIds: readonly string[]): Promise<KnownReceipt[]> {
    const rows = await this.replica.query<KnownRow>(KNOWN_BY_ID, [storeId, provider, trxIds]);
    return rows.map(knownOf);
  }

  /** At most `limit` receipts of a wallet that came in a span, behind a position, in order; null begins. */
  async knownOfSpan(
    storeId: string,
    provider: string,
    { from, to }: Span,
    after: EntryPosition | null,
    limit: number,
  ): Promise<KnownReceipt[]> {
    const { at, id } = after ?? { at: from, id: FIRST_ID };
    const values = [storeId, provider, from, to, at, id, limit];
    return (await this.replica.query<KnownRow>(KNOWN_OF_SPAN, values)).map(knownOf);
  }
}

function knownOf(row: KnownRow): KnownReceipt {
  return {
    id: row.id,
    trxId: row.trx_id,
    amountMinor: Number(row.amount_minor),
    receivedAt: row.received_at,
    status: row.status,
    paymentId: row.payment_id,
  };
}
