import { Injectable } from '@nestjs/common';
import { OwnerActivity } from '../../accounts/index.js';
import type { Transaction } from '../../platform/database/index.js';
import { ownerLock } from '../stores.service.js';
import { StoresRepository } from '../stores.repository.js';

/** The stores of a deactivated owner are closed (contract 14.31), in the transaction that deactivates them. */
@Injectable()
export class StoresOfOwner extends OwnerActivity {
  constructor(private readonly stores: StoresRepository) {
    super();
  }

  async changed(tx: Transaction, userId: string, active: boolean): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock($1::bigint)', [ownerLock(userId)]);
    await this.stores.setOwnerActive(tx, userId, active);
  }
}
