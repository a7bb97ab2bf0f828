import {
  checkoutGet,
  checkoutVerify,
  paymentsCreate,
  paymentsGet,
  phoneReceive,
} from '../generated/hey-api/index.js';
import type { PaymentStatus, ProblemCode, ReviewReason } from '../generated/hey-api/index.js';

export async function pay(apiKey: string, webhookSecret: string): Promise<PaymentStatus> {
  const headers = { 'X-Api-Key': apiKey };
  const created = await paymentsCreate({ headers, body: { amount: 500, note: 'Order 1001' } });
  if (created.data === undefined) {
    const code: ProblemCode | undefined = created.error?.code;
    throw new Error(code);
  }
  const path = { id: created.data.id };
  await checkoutGet({ path });
  await checkoutVerify({ path, body: { trxId: 'DIJ3MXAHCJ' } });
  await phoneReceive({
    headers: { 'X-Webhook-Secret': webhookSecret },
    body: {
      app: 'generated',
      provider: 'bkash',
      kind: 'received',
      trxId: 'DIJ3MXAHCJ',
      amount: created.data.payAmount,
      counterparty: '01700000002',
      receivedAt: new Date().toISOString(),
    },
  });
  const paid = await paymentsGet({ headers, path, throwOnError: true });
  const reason: ReviewReason | null = paid.data.reviewReason;
  if (reason !== null) throw new Error(reason);
  return paid.data.status;
}
