import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { PaymentsSettings } from '../payments.settings.js';
import { BY_INDEX, Database, ScheduledJob, type Transaction } from '../../platform/database/index.js';
import { EventRedaction, Ports } from '../../platform/events/index.js';
import { Clock } from '../../kernel/clock.js';

const LOOK_EVERY_MS = 60_000;
const BATCH_ROWS = 200;
/** A run that stops here is continued by the next one. */
const MAX_BATCHES = 500;

/** A row that has been redacted. */
export interface RedactedRow {
  readonly storeId: string;
  readonly id: string;
}

/** The rows that a transaction has redacted; there may be no receipts. */
export interface Redacted {
  readonly payments: readonly RedactedRow[];
  readonly receipts: readonly RedactedRow[];
}

/** The port for whoever keeps personal data of payments or receipts elsewhere: found by its class. */
export abstract class PersonalData {
  /** In the transaction that redacts the payments and receipts. */
  abstract redact(tx: Transaction, redacted: Redacted): Promise<void>;
}

/**
 * `RETENTION_PERSONAL`: so long after its end, a payment loses the customer's name and phone and the payer's
 * number, and its receipt, and those of its refunds, the counterparty and the raw text (contract 14.61). Receipts
 * keep what matching needs: TrxID, digits, amount and digest. One that is settled again, since its money came late,
 * is looked at again. Messages follow in the same transaction; events' bodies when nobody waits for them any more.
 */
@Injectable()
export class PersonalRetention extends ScheduledJob {
  constructor(
    private readonly database: Database,
    private readonly events: EventRedaction,
    private readonly ports: Ports,
    private readonly settings: PaymentsSettings,
    private readonly clock: Clock,
  ) {
    super();
  }

  @Interval(LOOK_EVERY_MS)
  override run(): Promise<void> {
    return super.run();
  }

  private async listRedacted(paymentIds: readonly string[]): Promise<Set<string>> {
    const rows = await this.database.query<{ id: string }>(
      'SELECT id FROM payments WHERE id = ANY($1::uuid[]) AND redacted_at >= ended_at',
      [paymentIds],
    );
    return new Set(rows.map(({ id }) => id));
  }

  async round(): Promise<void> {
    const { retentionPersonalMs } = this.settings;
    if (retentionPersonalMs === null) return;
    const now = this.clock.now();
    const before = new Date(now.getTime() - retentionPersonalMs);
    for (let batch = 0; batch < MAX_BATCHES && !this.isStopping; batch += 1) {
      const count = await this.database.transaction((tx) => this.redactSome(tx, before, now), {
        settings: BY_INDEX,
      });
      if (count < BATCH_ROWS) break;
    }
    await this.events.redact(
      before,
      (paymentIds) => this.listRedacted(paymentIds),
      () => this.isStopping,
    );
  }

  private async redactSome(tx: Transaction, before: Date, now: Date): Promise<number> {
    const payments = await tx.query<RedactedPayment>(
      `UPDATE payments SET customer_name = NULL, customer_phone = NULL, payer_number = NULL, redacted_at = $2
       FROM (SELECT id, store_id FROM payments
             WHERE ended_at < $1 AND (redacted_at IS NULL OR redacted_at < ended_at)
             ORDER BY ended_at LIMIT $3 FOR UPDATE SKIP LOCKED) old
       WHERE payments.id = old.id AND payments.store_id = old.store_id
       RETURNING payments.id, payments.store_id, payments.receipt_id`,
      [before, now, BATCH_ROWS],
    );
    if (payments.length === 0) return 0;
    const receipts = await this.redactReceipts(tx, payments, now);
    const redacted = { payments: payments.map(rowOf), receipts: receipts.map(rowOf) };
    for (const elsewhere of this.ports.implementationsOf(PersonalData)) await elsewhere.redact(tx, redacted);
    return payments.length;
  }

  private async redactReceipts(
    tx: Transaction,
    payments: readonly RedactedPayment[],
    now: Date,
  ): Promise<StoredRow[]> {
    // Refunds have messages of their own, which name the same payer.
    const refunds = await tx.query<{ store_id: string; receipt_id: string }>(
      `SELECT refunds.store_id, refunds.receipt_id FROM refunds
       JOIN unnest($1::uuid[], $2::uuid[]) AS old (id, store_id)
         ON refunds.payment_id = old.id AND refunds.store_id = old.store_id
       WHERE refunds.receipt_id IS NOT NULL`,
      [payments.map(({ id }) => id), payments.map((row) => row.store_id)],
    );
    const withReceipt = [...payments.filter(({ receipt_id: receiptId }) => receiptId !== null), ...refunds];
    if (withReceipt.length === 0) return [];
    return tx.query<StoredRow>(
      `UPDATE receipts SET counterparty = NULL, raw = '', redacted_at = $3
       FROM unnest($1::uuid[], $2::uuid[]) AS old (id, store_id)
       WHERE receipts.id = old.id AND receipts.store_id = old.store_id
       RETURNING receipts.store_id, receipts.id`,
      [withReceipt.map((row) => row.receipt_id), withReceipt.map((row) => row.store_id), now],
    );
  }
}

interface StoredRow {
  readonly id: string;
  readonly store_id: string;
}

interface RedactedPayment extends StoredRow {
  readonly receipt_id: string | null;
}

function rowOf({ id, store_id: storeId }: StoredRow): RedactedRow {
  return { storeId, id };
}
