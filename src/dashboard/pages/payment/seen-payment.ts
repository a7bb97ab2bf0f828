import type { Payment, SeenBody } from '../../../payments/index.js';
import type { Visit } from '../../kit/visit.js';

/** Prefix of the hidden fields, one for each payment: its status, review reason and the id of the attached receipt. */
const FIELD = 'seen';

/**
 * Hidden fields for a form that decides about these payments: what the form shows of each. The decision is refused if
 * the payment has changed since (contract 3.47).
 */
export function seenFields(payments: readonly Payment[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    payments.map(({ id, status, reviewReason, receiptId }) => [
      `${FIELD}-${id}`,
      [status, reviewReason ?? '', receiptId ?? ''].join(','),
    ]),
  );
}

/** Reads from the submitted form what it showed of a payment; empty if the form did not show this payment. */
export function readSeen(visit: Visit, paymentId: string): { readonly seen?: SeenBody } {
  const [status, reviewReason, receiptId] = visit.field(`${FIELD}-${paymentId}`).split(',');
  if (status === '' || receiptId === undefined) return {};
  const seen = { status, reviewReason: reviewReason || null, receiptId: receiptId || null };
  // Checked with the rest of the form, by the rules of the API's own body.
  return { seen: seen as SeenBody };
}
