import { Injectable } from '@nestjs/common';
import type { Transaction } from '../../platform/database/index.js';
import { PersonalData, type Redacted } from '../../payments/index.js';
import { ChargesRepository } from './charges.repository.js';

/** A charge names the customer once more, and loses it with its payment (`RETENTION_PERSONAL`, contract 14.61). */
@Injectable()
export class ChargeRetention extends PersonalData {
  constructor(private readonly charges: ChargesRepository) {
    super();
  }

  redact(tx: Transaction, { payments }: Redacted): Promise<void> {
    return this.charges.redact(tx, payments);
  }
}
