import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import { ReleasedReceipts } from '../intake/released-receipts.js';
import { ClaimsRepository } from '../matching/claims.repository.js';
import type { Claim } from '../matching/decision.js';

/** The payments that would get a released receipt. */
export interface NextClaimants {
  readonly winnerId: string | null;
  /** The winner would be verified by it. */
  readonly fits: boolean;
  readonly claimingIds: readonly string[];
}

/** Tells users who is in review over what, before they decide. Changes nothing. */
@Injectable()
export class ReviewClaims {
  constructor(
    private readonly database: Database,
    private readonly claims: ClaimsRepository,
    private readonly releasedReceipts: ReleasedReceipts,
  ) {}

  /** The receipts that payments in review claim without having them attached. */
  listOfPayments(storeId: string, paymentIds: readonly string[]): Promise<Claim[]> {
    return this.claims.listOfPayments(this.database, storeId, paymentIds);
  }

  /** The payments that are in review over these receipts, which are not attached to them. */
  listOfReceipts(storeId: string, receiptIds: readonly string[]): Promise<Claim[]> {
    return this.claims.listOfReceipts(this.database, storeId, receiptIds);
  }

  /**
   * The next claimants of a receipt if this payment ended and released it (contract 3.36): at most one `winnerId`, or
   * those among whom a user would have to choose.
   */
  async foresee(storeId: string, receiptId: string, paymentId: string): Promise<NextClaimants> {
    const { attach, claims } = await this.releasedReceipts.foresee(storeId, receiptId, paymentId);
    const claimingIds = [...new Set(claims.map((claim) => claim.paymentId))];
    return { winnerId: attach?.paymentId ?? null, fits: attach?.comparison === 'agree', claimingIds };
  }
}
