import { expect, it } from 'vitest';
import { newTrxId } from '../../support/money-shop.js';
import { createStore, startTestApp } from '../../support/test-app.js';
import { useShop } from '../../support/use-shop.js';

/* Rules: contract 4.13, 6.39, 6.40, 6.45, 6.46. Who may simulate a receipt, and where. */

const { service, shop } = useShop();

it('a simulated receipt is refused where the store has it switched off', async () => {
  await shop.change({ simulationEnabled: false });
  const answer = await shop.simulate({ trxId: newTrxId() });
  expect(answer).toMatchObject({ status: 403, body: { code: 'simulate.disabled' } });
});

it('is off for a new store in production', async () => {
  const admin = await shop.admin();
  const { clock, test } = service;
  const environment = { NODE_ENV: 'production' };
  const production = await startTestApp({ clock, database: test.database, environment });
  try {
    const made = await createStore(production.http, admin);
    const isEnabled = async (id: string) =>
      (await production.http.get(`/api/v1/stores/${id}`, admin)).body['simulationEnabled'];
    expect([await isEnabled(made.id), await isEnabled(shop.store.id)]).toEqual([false, true]);
  } finally {
    await production.close();
  }
});

it('asks for the store when there are several', async () => {
  await service.openShop();
  const answer = await shop.simulate({ trxId: newTrxId(), storeId: undefined });
  expect(answer).toMatchObject({ status: 400, body: { code: 'simulate.store_required' } });
});
