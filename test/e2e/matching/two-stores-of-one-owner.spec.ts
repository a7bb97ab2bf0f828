import { beforeEach, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../support/money-clock.js';
import { newTrxId, type Shop } from '../../support/money-shop.js';
import { createUser } from '../../support/test-app.js';
import { useService } from '../../support/use-shop.js';

/* Rules: contract 4.47 to 4.50. One receipt pays in one store of an owner. */

const DAY_MS = 24 * HOUR_MS;

const service = useService();
let ownerId: string;
let first: Shop;

beforeEach(async () => {
  ({ id: ownerId } = await createUser(service.test.http, await service.admin()));
  first = await service.openShop({ ownerId, wallets: [] });
});

/** A payment of the shop, with that TrxID submitted and its receipt told, which moved at `receivedAt`. */
async function payIn(shop: Shop, trxId: string, receivedAt: string): Promise<string> {
  const { id } = await shop.create();
  await shop.submit(id, { trxId });
  await shop.receipt({ trxId, receivedAt });
  return shop.stateOf(id);
}

async function archive(shop: Shop): Promise<void> {
  const path = `/api/v1/stores/${shop.store.id}`;
  const answer = await shop.http.request('DELETE', path, { headers: await shop.admin() });
  expect(answer.status).toBe(204);
}

it('attack: a store that is archived, and its successor, do not both take one receipt', async () => {
  const [trxId, receivedAt] = [newTrxId(), service.clock.isoIn(0)];
  expect(await payIn(first, trxId, receivedAt)).toBe('verified');
  await archive(first);
  service.clock.advance(30 * MINUTE_MS);
  const second = await service.openShop({ ownerId, wallets: [] });
  expect(await payIn(second, trxId, receivedAt)).toBe('review: flagged');
});

it('attack: nor when the successor was there before', async () => {
  const second = await service.openShop({ ownerId, wallets: [] });
  const [trxId, receivedAt] = [newTrxId(), service.clock.isoIn(0)];
  expect(await payIn(first, trxId, receivedAt)).toBe('verified');
  await archive(first);
  expect(await payIn(second, trxId, receivedAt)).toBe('review: flagged');
});

it('honest: a store that was archived two days ago is nobody’s neighbour', async () => {
  await archive(first);
  service.clock.advance(2 * DAY_MS + 1);
  const second = await service.openShop({ ownerId, wallets: [] });
  const trxId = newTrxId();
  expect(await payIn(second, trxId, service.clock.isoIn(0))).toBe('verified');
});

it.each(['before', 'after'] as const)(
  'attack: a receiptLead of a week, set %s the second store is opened, pays once',
  async (when) => {
    const [trxId, receivedAt] = [newTrxId(), service.clock.isoIn(0)];
    expect(await payIn(first, trxId, receivedAt)).toBe('verified');
    service.clock.advance(4 * DAY_MS);
    if (when === 'before') await first.change({ receiptLead: '7d' });
    const second = await service.openShop({ ownerId, wallets: [] });
    await second.change({ receiptLead: '7d' });
    expect(await payIn(second, trxId, receivedAt)).toBe('review: flagged');
  },
);

it('honest: with such a lead, what no store has heard of pays', async () => {
  const second = await service.openShop({ ownerId, wallets: [] });
  await second.change({ receiptLead: '7d' });
  const receivedAt = service.clock.isoIn(0);
  service.clock.advance(4 * DAY_MS);
  expect(await payIn(second, newTrxId(), receivedAt)).toBe('verified');
});
