import { Injectable } from '@nestjs/common';
import { Database, Fingerprints, type Subject } from '../../../platform/database/index.js';

/** As many as the first page of a list shows. */
const SHOWN = 20;

const LATEST = new Fingerprints(
  'payments-fingerprints',
  (storeId) => `SELECT concat_ws(' ', id, status) AS mark FROM payments
    WHERE store_id = ${storeId} ORDER BY created_at DESC, id DESC LIMIT ${SHOWN}`,
);
const IN_REVIEW = new Fingerprints(
  'payments-fingerprints-in-review',
  (storeId) => `SELECT concat_ws(' ', id, review_reason, receipt_id) AS mark FROM payments
    WHERE store_id = ${storeId} AND status = 'review' ORDER BY created_at DESC, id DESC LIMIT ${SHOWN}`,
);
/** A payment itself, and the receipts that it claims. */
const ONE = new Fingerprints(
  'payments-fingerprints-by-id',
  (
    storeId,
    id,
  ) => `SELECT concat_ws(' ', status, review_reason, receipt_id, refunded_amount_minor, submitted_at) AS mark
      FROM payments WHERE store_id = ${storeId} AND id = ${id}
    UNION ALL SELECT receipt_id::text FROM receipt_claims
      WHERE store_id = ${storeId} AND payment_id = ${id} AND ended_at IS NULL`,
);
const RECEIPTS = new Fingerprints(
  'receipts-fingerprints',
  (storeId) => `SELECT concat_ws(' ', id, status) AS mark FROM receipts
    WHERE store_id = ${storeId} ORDER BY arrived_at DESC, id DESC LIMIT ${SHOWN}`,
);

/** Fingerprints of what pages show of payments and receipts. An expiry changes them when the sweep has stored it. */
@Injectable()
export class PaymentFingerprints {
  constructor(private readonly database: Database) {}

  latest(storeIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return LATEST.ofStores(this.database, storeIds);
  }

  inReview(storeIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return IN_REVIEW.ofStores(this.database, storeIds);
  }

  receipts(storeIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return RECEIPTS.ofStores(this.database, storeIds);
  }

  /** By the payment's id. */
  ofPayments(payments: readonly Subject[]): Promise<ReadonlyMap<string, string>> {
    return ONE.of(this.database, payments);
  }
}
