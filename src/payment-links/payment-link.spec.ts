import { describe, expect, it } from 'vitest';
import { closedReason, takesAmount } from './payment-link.js';

const NOW = new Date('2026-11-21T08:00:00Z');
const OPEN = { active: true, expiresAt: null, maxPayments: null };
const STATE = { shopOpen: true, verifiedCount: 0, now: NOW };

describe('a link', () => {
  it('takes payments until it is switched off, over or used up, or its shop is closed', () => {
    expect(closedReason(OPEN, STATE)).toBeNull();
    expect(closedReason({ ...OPEN, active: false }, STATE)).toBe('off');
    expect(closedReason({ ...OPEN, expiresAt: NOW }, STATE)).toBe('expired');
    expect(closedReason({ ...OPEN, expiresAt: new Date(NOW.getTime() + 1) }, STATE)).toBeNull();
    expect(closedReason({ ...OPEN, maxPayments: 2 }, { ...STATE, verifiedCount: 1 })).toBeNull();
    expect(closedReason({ ...OPEN, maxPayments: 2 }, { ...STATE, verifiedCount: 2 })).toBe('used_up');
    expect(closedReason({ ...OPEN, active: false }, { ...STATE, shopOpen: false })).toBe('shop_closed');
  });
});

describe('the amount of a link', () => {
  const free = { amountMinor: null, minAmountMinor: null, maxAmountMinor: null };

  it('is the fixed one, or any within the bounds, these included', () => {
    expect(takesAmount({ ...free, amountMinor: 500 }, 500)).toBe(true);
    expect(takesAmount({ ...free, amountMinor: 500 }, 501)).toBe(false);
    expect(takesAmount(free, 1)).toBe(true);
    const between = { ...free, minAmountMinor: 100, maxAmountMinor: 200 };
    expect([99, 100, 200, 201].map((amount) => takesAmount(between, amount))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });
});
