import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { expectNoLostMatch, expectSoundMoney } from './money-invariants.js';
import { MoneyService, type MoneyServiceOptions, Shop } from './money-shop.js';

/**
 * A service of two replicas, unless told otherwise, for the tests of this file. After each test the money of every shop
 * must be sound, and no match may be lost.
 */
export function useService(options: MoneyServiceOptions = {}): MoneyService {
  const service = new MoneyService({ replicas: 2, ...options });
  /** Those opened before the first test. */
  let lasting = 0;
  beforeAll(async () => {
    await service.start();
  });
  afterAll(() => service.close());
  beforeEach(() => {
    lasting = service.shops.length;
  });
  afterEach(async () => {
    await service.sweep();
    const { database } = service.test;
    const storeIds = service.shops.map(({ store }) => store.id);
    await expectSoundMoney(database, ...storeIds);
    await expectNoLostMatch(database, service.clock.now(), ...storeIds);
    service.shops.length = lasting;
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
