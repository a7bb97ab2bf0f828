import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import { lookAlikesOf } from '../../wallets/index.js';
import type { Payment } from '../payments/payment.js';

const EXISTS = {
  name: 'receipts-exists-look-alike',
  text: `SELECT FROM receipts
    WHERE store_id = $1 AND trx_id = ANY($2::text[]) AND status = 'unmatched' AND amount_minor = $3 AND currency = $4
    LIMIT 1`,
};

/** Receipts that wait for somebody who mixed up O and 0, or I, L and 1 (wallets §4). */
@Injectable()
export class LookAlikeReceipts {
  constructor(private readonly database: Database) {}

  /**
   * Whether an unmatched receipt of exactly this payment's money has an id that looks like what the payer typed. It
   * is never matched for that, and its id is told to nobody: the payer is asked to look again.
   */
  async exists({ storeId, submission, payAmountMinor, currency }: Payment): Promise<boolean> {
    if (submission?.kind !== 'trx_id') return false;
    const others = lookAlikesOf(submission.trxId);
    if (others.length === 0) return false;
    return (await this.database.query(EXISTS, [storeId, others, payAmountMinor, currency])).length > 0;
  }
}
