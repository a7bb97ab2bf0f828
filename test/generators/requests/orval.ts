import type { EventName, PaymentStatus } from '../generated/orval/client.js';
import {
  checkoutGet,
  checkoutVerify,
  paymentsCreate,
  paymentsGet,
  phoneReceive,
} from '../generated/orval/client.js';
import * as zod from '../generated/orval/zod.js';

export const VERIFIED: EventName = 'payment.verified';

export async function pay(apiKey: string, webhookSecret: string): Promise<PaymentStatus> {
  const options = { headers: { 'X-Api-Key': apiKey } };
  const body = zod.paymentsCreateBody.parse({ amount: 500, note: 'Order 1001' });
  const created = await paymentsCreate(body, options);
  if (created.status !== 201) throw new Error('code' in created.data ? created.data.code : '');
  const { id, payAmount } = created.data;
  await checkoutGet(id);
  await checkoutVerify(id, { trxId: 'DIJ3MXAHCJ' });
  const receipt = {
    app: 'generated',
    provider: 'bkash',
    kind: 'received',
    trxId: 'DIJ3MXAHCJ',
    amount: payAmount,
    counterparty: '01700000002',
    receivedAt: new Date().toISOString(),
  };
  await phoneReceive(receipt, { headers: { 'X-Webhook-Secret': webhookSecret } });
  const paid = await paymentsGet(id, options);
  if (paid.status !== 200) throw new Error('It cannot be read.');
  return paid.data.status;
}
