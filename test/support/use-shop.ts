import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { expectNoLostMatch, expectSoundMoney } from './money-invariants.js';
import { MoneyService, type MoneyServiceOptions, Shop } from './money-shop.js';

/**
 * A service of two replicas, unless told otherwise, for the tests of this file. After each test the money of the shops
 * that it opened must be sound, and no match may be lost; that of all others when the service closes.
 */
export function useService(options: MoneyServiceOptions = {}): MoneyService {
  const service = new MoneyService({ replicas: 2, ...options });
  beforeAll(async () => {
    await service.start();
  });
  afterAll(() => service.close());
  beforeEach(() => {
    service.shops.length = 0;
  });
  afterEach(async () => {
    if (service.shops.length === 0) return;
    await service.sweep();
    const { database } = service.test;
    const storeIds = service.shops.map(({ store }) => store.id);
    await expectSoundMoney(database, ...storeIds);
    await expectNoLostMatch(database, service.clock.now(), ...storeIds);
  });
  return service;
}

/** The same, and a shop that has a new store in each test. */
export function useShop(options?: MoneyServiceOptions): { service: MoneyService; shop: Shop } {
  const service = useService(options);
  const shop = new Shop(service);
  beforeEach(() => shop.open());
  return { service, shop };
}
