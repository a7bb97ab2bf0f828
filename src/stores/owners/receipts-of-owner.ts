import type { Transaction } from '../../platform/database/index.js';

/**
 * The port for whoever knows the receipts of a store (contract 4.47 and 4.49): found by its class. While somebody has
 * one store, nobody notes whose a wallet's TrxIDs are.
 */
export abstract class ReceiptsOfOwner {
  /** Notes the receipts of a store since an instant: its owner gets another store, or compares further back. */
  abstract noteSince(tx: Transaction, ownerId: string, storeId: string, since: Date): Promise<void>;
}
