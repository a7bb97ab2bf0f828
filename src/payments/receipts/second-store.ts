import { Injectable } from '@nestjs/common';
import type { Transaction } from '../../platform/database/index.js';
import { ReceiptsOfOwner } from '../../stores/index.js';
import { ReceiptsRepository } from './receipts.repository.js';

/**
 * With a second store, the TrxIDs of the first must be known: a phone that feeds both would pay twice with what the
 * first has heard already (contract 4.47 and 4.49).
 */
@Injectable()
export class SecondStore extends ReceiptsOfOwner {
  constructor(private readonly receipts: ReceiptsRepository) {
    super();
  }

  noteSince(tx: Transaction, ownerId: string, storeId: string, since: Date): Promise<void> {
    return this.receipts.keepForSecondStore(tx, ownerId, storeId, since);
  }
}
