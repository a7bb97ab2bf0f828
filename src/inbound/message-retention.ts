import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../kernel/clock.js';
import { PersonalRetention } from '../payments/index.js';

/**
 * Redacts the messages whose receipts are redacted (`RETENTION_PERSONAL`, contract 14.61), also those that told the
 * same once more: texts name who sent money.
 */
@Injectable()
export class MessageRetention implements OnModuleInit {
  constructor(
    private readonly retention: PersonalRetention,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.retention.onRedacted(async (tx, { receipts }) => {
      if (receipts.length === 0) return;
      await tx.execute(
        `UPDATE messages SET text = '', raw = '', fields = fields - 'counterparty', redacted_at = $3
         FROM unnest($1::uuid[], $2::uuid[]) AS old (id, store_id)
         WHERE messages.receipt_id = old.id AND messages.store_id = old.store_id`,
        [receipts.map(({ id }) => id), receipts.map(({ storeId }) => storeId), this.clock.now()],
      );
    });
  }
}
