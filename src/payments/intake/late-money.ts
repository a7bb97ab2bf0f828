import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import { Clock } from '../../kernel/clock.js';
import { SubmissionsRepository } from '../matching/submissions.repository.js';
import { fitsExactly } from '../matching/matching.js';
import { submissionKeys } from '../matching/matching-keys.js';
import { type Payment, statusAt } from '../payments/payment.js';
import { PaymentsRepository } from '../payments/payments.repository.js';
import { ReceiptsRepository } from '../receipts/receipts.repository.js';
import { PaymentTransitions } from '../matching/payment-transitions.js';

/**
 * A payment for which digits were entered, whose time is over, and whose money seems to have come outside the window:
 * one free receipt of its digits and amount goes to review with it (`late`), of several a user chooses (contract
 * 3.19).
 */
@Injectable()
export class LateMoney {
  constructor(
    private readonly database: Database,
    private readonly payments: PaymentsRepository,
    private readonly entries: SubmissionsRepository,
    private readonly receipts: ReceiptsRepository,
    private readonly transitions: PaymentTransitions,
    private readonly clock: Clock,
  ) {}

  /**
   * The same at once, for a payer who comes back before the sweep has come round: their entry would end the waiting.
   */
  async settleIfOver({ id, storeId, status, expiresAt, graceEndsAt }: Payment): Promise<void> {
    const waited = status === 'submitted';
    if (!waited || statusAt({ status, expiresAt, graceEndsAt }, this.clock.now()) !== 'expired') return;
    const entered = await this.entries.list(this.database, storeId, id);
    const digits = entered.filter(({ kind }) => kind === 'last4digit').map(({ value }) => value);
    for (const last4digit of new Set(digits)) await this.settle(storeId, id, last4digit);
  }

  async settle(storeId: string, paymentId: string, last4digit: string): Promise<void> {
    const known = await this.payments.findOfStore(storeId, paymentId);
    if (known === null) return;
    const entered = { kind: 'last4digit', last4digit, provider: null } as const;
    await this.database.transaction(
      async (tx) => {
        const payment = await this.payments.lock(tx, storeId, paymentId);
        const now = this.clock.now();
        if (payment?.status !== 'submitted' || statusAt(payment, now) !== 'expired') return;
        const key = { storeId, last4digit, amountMinor: payment.payAmountMinor };
        const between = { from: payment.createdAt, to: payment.graceEndsAt ?? now };
        const found = (await this.receipts.listByLast4(tx, key, between)).filter(
          (receipt) => receipt.status === 'unmatched' && !receipt.simulated && fitsExactly(payment, receipt),
        );
        const [only] = found;
        if (only === undefined) return;
        const expired = await this.transitions.expireIfOver(tx, payment, now);
        if (found.length === 1) await this.transitions.take(tx, expired, only, 'late', now);
        else {
          const claims = found.map(({ id: receiptId }) => ({ receiptId, paymentId, exact: true }));
          await this.transitions.claim(tx, claims, [expired], now);
        }
      },
      { locks: submissionKeys(known, entered), storeId },
    );
  }
}
