import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import { Clock } from '../../kernel/clock.js';
import { decideLateMoney } from '../matching/decide-submission.js';
import { MatchingCases } from '../matching/matching-cases.js';
import { submissionKeys } from '../matching/matching-keys.js';
import { SubmissionsRepository } from '../matching/submissions.repository.js';
import { type Payment, statusAt } from '../payments/payment.js';
import { PaymentsRepository } from '../payments/payments.repository.js';

/**
 * Payments for which digits were submitted, whose time is over, and whose money seems to have come outside the window
 * (contract 3.19, `decideLateMoney`).
 */
@Injectable()
export class LateMoney {
  constructor(
    private readonly database: Database,
    private readonly payments: PaymentsRepository,
    private readonly submissions: SubmissionsRepository,
    private readonly cases: MatchingCases,
    private readonly clock: Clock,
  ) {}

  /**
   * At once for a payer who comes back before the sweep has come round: their submission would end the waiting.
   */
  async decideIfOver({ id, storeId, status, expiresAt, graceEndsAt }: Payment): Promise<void> {
    const waited = status === 'submitted';
    if (!waited || statusAt({ status, expiresAt, graceEndsAt }, this.clock.now()) !== 'expired') return;
    const submitted = await this.submissions.list(this.database, storeId, id);
    const digits = submitted.filter(({ kind }) => kind === 'last4digit').map(({ value }) => value);
    for (const last4digit of new Set(digits)) await this.decide(storeId, id, last4digit);
  }

  async decide(storeId: string, paymentId: string, last4digit: string): Promise<void> {
    const known = await this.payments.findOfStore(storeId, paymentId);
    if (known === null) return;
    const submission = { kind: 'last4digit', last4digit, provider: null } as const;
    await this.database.transaction(
      async (tx) => {
        const late = await this.cases.ofLateMoney(tx, storeId, paymentId, last4digit);
        if (late === null) return;
        const { matching, receipts } = late;
        const payment = matching.matchable(paymentId);
        if (matching.payment(paymentId).status !== 'submitted' || payment.status !== 'expired') return;
        const decision = decideLateMoney(payment, receipts);
        if (decision.attach === null && decision.claims.length === 0) return;
        matching.expireIfOver(paymentId);
        matching.apply(decision);
        await this.cases.save(tx, matching);
      },
      { locks: submissionKeys(known, submission), storeId },
    );
  }
}
