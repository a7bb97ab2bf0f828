import { Injectable } from '@nestjs/common';
import type { Transaction } from '../platform/database/index.js';
import { Clock } from '../kernel/clock.js';
import { PersonalData, type Redacted } from '../payments/index.js';

/**
 * Redacts the messages whose receipts are redacted (`RETENTION_PERSONAL`, contract 14.61), also those that told the
 * same once more: texts name who sent money.
 */
@Injectable()
export class MessageRetention extends PersonalData {
  constructor(private readonly clock: Clock) {
    super();
  }

  async redact(tx: Transaction, { receipts }: Redacted): Promise<void> {
    if (receipts.length === 0) return;
    await tx.execute(
      `UPDATE messages SET text = '', raw = '', fields = fields - 'counterparty', redacted_at = $3
       FROM unnest($1::uuid[], $2::uuid[]) AS old (id, store_id)
       WHERE messages.receipt_id = old.id AND messages.store_id = old.store_id`,
      [receipts.map(({ id }) => id), receipts.map(({ storeId }) => storeId), this.clock.now()],
    );
  }
}
