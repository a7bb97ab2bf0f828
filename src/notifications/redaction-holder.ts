import { Injectable } from '@nestjs/common';
import type { Transaction } from '../platform/database/index.js';
import { EventBodyHolder } from '../platform/events/index.js';

/** Keeps the bodies of events that are to be delivered: they go out as they were (contract 14.62). */
@Injectable()
export class RedactionHolder extends EventBodyHolder {
  async needs(tx: Transaction, storeId: string, eventId: string): Promise<boolean> {
    // Locked: what is sent again begins after the redaction, with its body.
    const deliveries = await tx.query<{ status: string }>(
      'SELECT status FROM deliveries WHERE id = $2 AND store_id = $1 FOR UPDATE',
      [storeId, eventId],
    );
    return deliveries.some(({ status }) => status === 'pending' || status === 'held');
  }
}
