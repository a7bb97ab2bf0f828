import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { expectNoLostMatch, expectSoundMoney } from './money-invariants.js';
import { MoneyService, type MoneyServiceOptions, Shop } from './money-shop.js';

/**
 * Starts a service for the tests of this file, of two replicas by default. After each test the money of the stores that
 * the test has opened must be sound, and no match may be lost. The money of all other stores is checked when the
 * service closes.
 */
export function useService(options: MoneyServiceOptions = {}): MoneyService {
  const service = new MoneyService({ replicas: 2, ...options });
  beforeAll(async () => {
    await service.start();
  });
  afterAll(() => service.close());
  beforeEach(() => {
    service.openedIds.length = 0;
  });
  afterEach(async () => {
    const { clock, openedIds, test } = service;
    if (openedIds.length === 0) return;
    await service.sweep();
    await expectSoundMoney(test.database, ...openedIds);
    await expectNoLostMatch(test.database, clock.now(), ...openedIds);
  });
  return service;
}

/** Starts such a service, and opens a new store for each test: `shop` is that store. */
export function useShop(options?: MoneyServiceOptions): { service: MoneyService; shop: Shop } {
  const service = useService(options);
  const shop = new Shop(service);
  beforeEach(() => shop.open());
  return { service, shop };
}
