import { describe, expect, it } from 'vitest';
import { deliveryLeaseMs } from './lease.js';

describe('deliveryLeaseMs', () => {
  it('lets another replica take over within 30 s under the default timeout', () => {
    expect(deliveryLeaseMs(8_000)).toBe(28_000);
  });

  it('outlives an exchange of any permitted length, with time to write its outcome', () => {
    for (const timeoutMs of [10, 1_000, 8_000, 20_000, 60_000, 3_600_000]) {
      expect(deliveryLeaseMs(timeoutMs)).toBeGreaterThanOrEqual(timeoutMs + 4_000);
      expect(deliveryLeaseMs(timeoutMs)).toBeLessThanOrEqual(timeoutMs + 20_000);
    }
  });

  it('is short where exchanges are', () => {
    expect(deliveryLeaseMs(1_000)).toBe(5_000);
  });
});
