import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import type { Payment } from '../payment.js';
import { PaymentsRepository } from '../payments.repository.js';

/** Writes new payments. */
export abstract class PaymentCreation {
  /** Resolves when the payment is committed. */
  abstract insert(payment: Payment): Promise<void>;
}

/** Each payment by a statement of its own. */
@Injectable()
export class PlainPaymentCreation extends PaymentCreation {
  constructor(
    private readonly database: Database,
    private readonly payments: PaymentsRepository,
  ) {
    super();
  }

  async insert(payment: Payment): Promise<void> {
    await this.payments.insert(this.database, payment);
  }
}
