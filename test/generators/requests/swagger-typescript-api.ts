import { Api, type PaymentStatus } from '../generated/swagger-typescript-api/api.js';

export async function pay(apiKey: string, webhookSecret: string): Promise<PaymentStatus> {
  const { api } = new Api();
  const headers = { 'X-Api-Key': apiKey };
  const { data: payment } = await api.paymentsCreate({ amount: 500, note: 'Order 1001' }, { headers });
  await api.checkoutGet(payment.id);
  await api.checkoutVerify(payment.id, { trxId: 'DIJ3MXAHCJ' });
  await api.phoneReceive(
    {
      app: 'generated',
      provider: 'bkash',
      kind: 'received',
      trxId: 'DIJ3MXAHCJ',
      amount: payment.payAmount,
      counterparty: '01700000002',
      receivedAt: new Date().toISOString(),
    },
    { headers: { 'X-Webhook-Secret': webhookSecret } },
  );
  return (await api.paymentsGet(payment.id, { headers })).data.status;
}
