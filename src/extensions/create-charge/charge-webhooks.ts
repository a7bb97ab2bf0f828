import { Injectable } from '@nestjs/common';
import { EventSubscriber, type HeardEvent } from '../../platform/events/index.js';
import { PAYMENT_VERIFIED } from '../../payments/index.js';
import { ChargesService } from './charges.service.js';

/** A verified charge gets its own webhook, besides the store's. */
@Injectable()
export class ChargeWebhooks extends EventSubscriber {
  readonly name = 'create-charge';

  constructor(private readonly charges: ChargesService) {
    super();
  }

  async handle({ event, storeId, paymentId }: HeardEvent): Promise<void> {
    if (event === PAYMENT_VERIFIED && paymentId !== null) await this.charges.complete(storeId, paymentId);
  }
}
