import type { Store } from '../../stores/index.js';
import type { NewReceipt, ReceiptResult } from '../receipts/receipt.js';
import type { SentOutcome } from '../refunds/refund.js';

/** Takes receipts, wherever they come from: the phone app, a message, or a simulation. */
export abstract class ReceiptIntake {
  /**
   * Stores a receipt and matches it at once. Committed before this resolves, so the phone may forget it then. A
   * receipt that is here already is answered `duplicate` and changes nothing, whatever else it says.
   *
   * @throws DomainError `request.invalid` for a currency in which the wallet does not pay; `service.unavailable`
   */
  abstract take(store: Store, incoming: NewReceipt): Promise<ReceiptResult>;

  /**
   * Keeps a message of the store's phone about money that it sent. It pays nothing, and confirms the refund that its
   * TrxID and amount are those of, whichever comes first (contract 12.12).
   */
  abstract takeSent(
    store: Store,
    incoming: NewReceipt,
  ): Promise<{ readonly receiptId: string; readonly outcome: SentOutcome }>;
}
