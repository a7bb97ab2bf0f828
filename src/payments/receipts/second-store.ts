import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { StoresService } from '../../stores/index.js';
import { ReceiptsRepository } from './receipts.repository.js';

/** How long before a second store its owner's receipts are looked at: what is older is `old_money` for its payments. */
const LOOKED_BACK_MS = 48 * 3_600_000;

/**
 * While somebody has one store, nobody notes whose a wallet's TrxIDs are. With the second one they must be known: a
 * phone that feeds both would pay twice with what the first has heard already (contract 4.47).
 */
@Injectable()
export class SecondStore implements OnModuleInit {
  constructor(
    private readonly stores: StoresService,
    private readonly receipts: ReceiptsRepository,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.stores.onSecondStore((tx, ownerId, onlyStoreId) => {
      const since = new Date(this.clock.now().getTime() - LOOKED_BACK_MS);
      return this.receipts.keepForSecondStore(tx, ownerId, onlyStoreId, since);
    });
  }
}
