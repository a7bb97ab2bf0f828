import { describe, expect, it } from 'vitest';
import { deliveryLeaseMs } from './lease.js';

describe('deliveryLeaseMs', () => {
  it('lets another replica take over within 30 s under the default timeout', () => {
    expect(deliveryLeaseMs(8_000)).toBeLessThanOrEqual(29_000);
  });

  it('outlives an exchange of any permitted length', () => {
    for (const timeoutMs of [10, 8_000, 20_000, 60_000, 3_600_000]) {
      expect(deliveryLeaseMs(timeoutMs)).toBeGreaterThanOrEqual(timeoutMs + 20_000);
    }
  });
});
