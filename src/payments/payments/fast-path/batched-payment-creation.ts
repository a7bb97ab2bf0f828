import { Injectable } from '@nestjs/common';
import { Database, GroupedWrites } from '../../../platform/database/index.js';
import type { Payment } from '../payment.js';
import { PaymentCreation } from '../creation/payment-creation.js';
import { PaymentsRepository } from '../payments.repository.js';

/** Writes payments that are created at the same moment by one statement. Not on a cluster. */
@Injectable()
export class BatchedPaymentCreation extends PaymentCreation {
  private readonly writes = new GroupedWrites<Payment>(async (payments) => {
    await this.payments.insertMany(this.database, payments);
    return [];
  });

  constructor(
    private readonly database: Database,
    private readonly payments: PaymentsRepository,
  ) {
    super();
  }

  insert(payment: Payment): Promise<void> {
    return this.writes.add(payment);
  }
}
