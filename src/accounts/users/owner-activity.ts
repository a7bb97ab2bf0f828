import type { Transaction } from '../../platform/database/index.js';

/** The port for whoever must act when a user is deactivated, or let in again: found by its class. */
export abstract class OwnerActivity {
  /** In the transaction of the change. */
  abstract changed(tx: Transaction, userId: string, active: boolean): Promise<void>;
}
