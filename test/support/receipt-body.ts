/**
 * Makes the body of a receipt as the phone app sends it (specification §2.3). By default it is 500 from bKash, received
 * at `at`; with digits and no TrxID it is by Bangla QR. `fields` replace the defaults.
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
