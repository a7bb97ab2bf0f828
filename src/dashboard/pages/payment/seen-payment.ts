import type { Payment, SeenBody } from '../../../payments/index.js';
import type { Visit } from '../../kit/visit.js';

/** The one hidden field for all that a form showed of a payment: status, reason and id of the attached receipt. */
const FIELD = 'seen';

/**
 * Hidden fields for a form that decides about these payments: what it showed of each. The decision is refused if the
 * payment has changed since (contract 3.47).
 */
export function seenFields(payments: readonly Payment[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    payments.map(({ id, status, reviewReason, receiptId }) => [
      `${FIELD}-${id}`,
      [status, reviewReason ?? '', receiptId ?? ''].join(','),
    ]),
  );
}

/** What the form that was sent had shown of a payment; nothing if it did not show this one. */
export function readSeen(visit: Visit, paymentId: string): { readonly seen?: SeenBody } {
  const [status, reviewReason, receiptId] = visit.field(`${FIELD}-${paymentId}`).split(',');
  if (status === '' || receiptId === undefined) return {};
  const seen = { status, reviewReason: reviewReason || null, receiptId: receiptId || null };
  // Checked with the rest of the form, by the rules of the API's own body.
  return { seen: seen as SeenBody };
}
