import { Injectable } from '@nestjs/common';
import type { Transaction } from '../../platform/database/index.js';
import type { Payment } from '../payments/payment.js';
import { PaymentsRepository } from '../payments/payments.repository.js';
import type { MatchableReceipt } from './matching.js';
import { phoneEndsIn } from './phones.js';

/** Looks whether submitted digits are the phone of another payer (contract 4.67). */
@Injectable()
export class PhonesOfOthers {
  constructor(private readonly payments: PaymentsRepository) {}

  /**
   * Whether the digits of a receipt are the last of the phone of another open payment of the same amount to pay, and
   * not of this payment's own phone. Such digits verify nothing by themselves.
   */
  async include(
    tx: Transaction,
    payment: Payment,
    { last4digit, amountMinor }: MatchableReceipt,
    now: Date,
  ): Promise<boolean> {
    if (last4digit === null || amountMinor !== payment.payAmountMinor) return false;
    if (phoneEndsIn(payment.customerPhone, last4digit)) return false;
    return this.payments.isPhoneOfAnother(tx, payment, last4digit, now);
  }
}
