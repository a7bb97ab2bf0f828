/**
 * The body of a receipt as the phone app sends it (specification §2.3): 500 from bKash, or by Bangla QR where it has
 * digits alone, at `at`, with what is given instead.
 */
export function receiptBody(fields: Record<string, unknown>, at: Date = new Date()): Record<string, unknown> {
  const isQr = fields['last4digit'] !== undefined && fields['trxId'] === undefined;
  return {
    app: 'joma-phone',
    kind: 'received',
    amount: 500,
    receivedAt: at.toISOString(),
    ...(isQr ? {} : { provider: 'bkash', counterparty: '01700000002' }),
    ...fields,
  };
}
