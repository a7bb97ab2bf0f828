import { expect, it } from 'vitest';
import { newTrxId } from '../../support/money-shop.js';
import { useShop } from '../../support/use-shop.js';

/* Rules: contract 2.7, 4.15. A key and a phone reach the store that they belong to, and no other. */

const { service, shop } = useShop();

it('a merchant never reaches another store', async () => {
  const stranger = await service.openShop();
  const { id } = await shop.create();
  expect((await shop.http.get(`/api/v1/payments/${id}`, stranger.store.key)).status).toBe(404);
  expect((await stranger.cancel(id)).status).toBe(404);
  const trxId = newTrxId();
  await shop.submit(id, { trxId });
  expect((await stranger.receipt({ trxId })).body.status).toBe('unmatched');
  expect(await shop.stateOf(id)).toBe('submitted');
});

it('a rotated API key is refused at once on every replica, and nobody else’s is', async () => {
  const [one, two] = service.replicas.map(({ http }) => http);
  const { id, key } = shop.store;
  const neighbour = await service.openShop();
  const list = async (headers: Record<string, string>) =>
    (await two!.get('/api/v1/payments', headers)).status;
  expect(await list(key)).toBe(200);
  const path = `/api/v1/stores/${id}/api-key/rotate`;
  const rotated = await one!.post<{ apiKey: string }>(path, undefined, await shop.admin());
  expect(rotated.status).toBe(200);
  expect(await list(key)).toBe(401);
  expect(await list({ 'X-Api-Key': rotated.body.apiKey })).toBe(200);
  expect(await list(neighbour.store.key)).toBe(200);
});
