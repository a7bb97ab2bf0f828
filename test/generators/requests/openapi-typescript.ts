import createClient from 'openapi-fetch';
import type { components, paths } from '../generated/openapi-typescript/schema.js';

type PaymentStatus = components['schemas']['PaymentStatus'];

export async function pay(apiKey: string, webhookSecret: string): Promise<PaymentStatus | undefined> {
  const client = createClient<paths>({ baseUrl: 'http://127.0.0.1:3000' });
  const headers = { 'X-Api-Key': apiKey };
  const created = await client.POST('/api/v1/payments', {
    headers,
    body: { amount: 500, note: 'Order 1001' },
  });
  if (created.data === undefined) throw new Error(created.error.code);
  const params = { path: { id: created.data.id } };
  await client.GET('/api/v1/payments/public/{id}', { params });
  await client.POST('/api/v1/payments/public/{id}/verify', { params, body: { trxId: 'DIJ3MXAHCJ' } });
  await client.POST('/api/webhooks/joma', {
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
  const paid = await client.GET('/api/v1/payments/{id}', { params, headers });
  return paid.data?.status;
}
