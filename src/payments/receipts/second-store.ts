import { Injectable, type OnModuleInit } from '@nestjs/common';
import { StoresService } from '../../stores/index.js';
import { ReceiptsRepository } from './receipts.repository.js';

/**
 * While somebody has one store, nobody notes whose a wallet's TrxIDs are. With a second one they must be known: a phone
 * that feeds both would pay twice with what the first has heard already (contract 4.47 and 4.49).
 */
@Injectable()
export class SecondStore implements OnModuleInit {
  constructor(
    private readonly stores: StoresService,
    private readonly receipts: ReceiptsRepository,
  ) {}

  onModuleInit(): void {
    this.stores.onReceiptsCompared((tx, ownerId, storeId, since) =>
      this.receipts.keepForSecondStore(tx, ownerId, storeId, since),
    );
  }
}
