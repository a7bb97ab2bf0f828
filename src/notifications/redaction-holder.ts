import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EventRedaction } from '../platform/events/index.js';

/** Keeps the bodies of events that are to be delivered: they go out as they were (contract 14.62). */
@Injectable()
export class RedactionHolder implements OnModuleInit {
  constructor(private readonly redaction: EventRedaction) {}

  onModuleInit(): void {
    // Locked: what is sent again begins after the redaction, with its body.
    this.redaction.onRedaction(async (tx, storeId, eventId) => {
      const deliveries = await tx.query<{ status: string }>(
        'SELECT status FROM deliveries WHERE id = $2 AND store_id = $1 FOR UPDATE',
        [storeId, eventId],
      );
      return deliveries.some(({ status }) => status === 'pending' || status === 'held');
    });
  }
}
