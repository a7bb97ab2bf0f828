import { describe, expect, it } from 'vitest';
import { balanceLinesOf, KnownBalances, type LatestBalance } from './balances.js';

/*
 * Rules: contract 9.17, 9.24.
 *
 * Goal: a balance that does not add up is flagged, and no true one is (contract 9.17 and 9.24).
 * Method: each rule by an example.
 */

const NOW = new Date('2026-11-21T08:20:00.000Z');
const receipt = (changes: object = {}) => ({
  ...{ provider: 'bkash', app: 'app', amountMinor: 500, balanceMinor: 1_500, phoneLine: '1' },
  ...changes,
});
const latest = (changes: Partial<LatestBalance> = {}): LatestBalance => ({
  ...{ storeId: 's', provider: 'bkash', app: 'app', phoneLine: '1', balanceMinor: 1_000, arrivedAt: NOW },
  ...changes,
});
const flagsOf = (found: LatestBalance[], changes: object = {}, checks: 'off' | 'flag' | 'review' = 'flag') =>
  new KnownBalances(found).flagsOf('s', checks, receipt(changes));

describe('the balance of a receipt', () => {
  it('goes on from the latest of its line, or from none', () => {
    expect(flagsOf([latest()])).toEqual([]);
    expect(flagsOf([])).toEqual([]);
    expect(flagsOf([latest({ balanceMinor: 999 })])).toEqual(['balance_gap']);
    expect(flagsOf([latest({ balanceMinor: 999 })], {}, 'review')).toEqual(['balance_gap']);
    for (const other of [{ storeId: 't' }, { provider: 'rocket' }, { app: 'other' }, { phoneLine: '2' }])
      expect(flagsOf([latest({ balanceMinor: 999, ...other })]), JSON.stringify(other)).toEqual([]);
  });

  it('is never below its own amount', () => {
    expect(flagsOf([], { balanceMinor: 499 })).toEqual(['balance_below_amount']);
    expect(flagsOf([], { balanceMinor: 500 })).toEqual([]);
    expect(flagsOf([latest()], { balanceMinor: 499 })).toEqual(['balance_below_amount', 'balance_gap']);
  });

  it('is not looked at where none is told, or the store does not want it', () => {
    expect(flagsOf([latest({ balanceMinor: 1 })], { balanceMinor: null })).toEqual([]);
    expect(flagsOf([latest({ balanceMinor: 1 })], {}, 'off')).toEqual([]);
    expect(balanceLinesOf('s', 'off', receipt())).toEqual([]);
    expect(balanceLinesOf('s', 'flag', receipt({ balanceMinor: null }))).toEqual([]);
    expect(balanceLinesOf('s', 'flag', receipt({ phoneLine: undefined }))).toMatchObject([{ phoneLine: '' }]);
  });

  it.each(['nagad', 'qr'])('%s: goes on from its own, or from what may be the same account', (provider) => {
    const other = provider === 'qr' ? 'nagad' : 'qr';
    const own = latest({ provider, balanceMinor: 700 });
    const shared = latest({ provider: other, arrivedAt: new Date(NOW.getTime() + 1) });
    expect(flagsOf([own, shared], { provider })).toEqual([]);
    expect(flagsOf([latest({ provider }), { ...shared, balanceMinor: 700 }], { provider })).toEqual([]);
    expect(flagsOf([own, { ...shared, balanceMinor: 700 }], { provider })).toEqual(['balance_gap']);
    // An older one of the other account says nothing.
    const older = { ...shared, arrivedAt: new Date(NOW.getTime() - 1) };
    expect(flagsOf([own, older], { provider })).toEqual(['balance_gap']);
    expect(flagsOf([shared], { provider })).toEqual([]);
  });

  it('goes on from one that came at the same moment', () => {
    const known = new KnownBalances([latest()]);
    known.note('s', receipt(), NOW);
    known.note('s', receipt({ balanceMinor: null }), NOW);
    expect(known.flagsOf('s', 'flag', receipt({ balanceMinor: 2_000 }))).toEqual([]);
    expect(known.flagsOf('s', 'flag', receipt())).toEqual(['balance_gap']);
  });
});
