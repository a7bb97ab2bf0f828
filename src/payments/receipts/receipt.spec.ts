import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RECEIVED_KIND, receiptDigest } from './receipt.js';

/*
 * Rules: contract 4.10, 6.37.
 *
 * Goal: a receipt without a TrxID that comes twice is one receipt, and two that differ in wallet, digits, amount or
 * time are two (contract 4.10). Method: one digest written down, because stored ones must stay comparable; then pairs
 * of receipts.
 */

type Identity = Parameters<typeof receiptDigest>[0];

const identity = (changes: Partial<Identity> = {}): Identity => ({
  provider: 'qr',
  trxId: null,
  last4digit: '0251',
  amountMinor: 50_000,
  receivedAt: new Date('2026-11-21T08:20:09.123Z'),
  ...changes,
});

const anyIdentity = fc.record({
  provider: fc.constantFrom('qr', 'bkash', 'qr_'),
  trxId: fc.constant(null),
  last4digit: fc.constantFrom('0251', '2510', '0000'),
  amountMinor: fc.constantFrom(1, 50_000, 50_001),
  receivedAt: fc.constantFrom(
    new Date('2026-11-21T08:20:09.123Z'),
    new Date('2026-11-21T08:20:09.124Z'),
    new Date('2026-11-20T08:20:09.123Z'),
  ),
});

describe('RECEIVED_KIND', () => {
  it('is the word of specification §2.3 for money that came in', () => {
    expect(RECEIVED_KIND).toBe('received');
  });
});

describe('receiptDigest', () => {
  it('is SHA-256 of wallet, digits, amount and time, spelled in one way for ever', () => {
    const spelled = '["qr","0251",50000,"2026-11-21T08:20:09.123Z"]';
    expect(receiptDigest(identity())).toEqual(createHash('sha256').update(spelled).digest());
    expect(receiptDigest(identity())?.toString('hex')).toBe(
      '0acd01ac2ae458ea656711f9a95b42d08c6be4f26c0f93602af60bbcfae65505',
    );
  });

  it('is not needed where there is a TrxID', () => {
    expect(receiptDigest(identity({ trxId: 'DIJ3MXAHCJ' }))).toBeNull();
    expect(receiptDigest(identity({ trxId: 'DIJ3MXAHCJ', last4digit: null }))).toBeNull();
  });

  it('cannot be made where there are no digits either', () => {
    expect(receiptDigest(identity({ last4digit: null }))).toBeNull();
  });

  it('is equal for two receipts exactly when all four are', () => {
    const key = (receipt: Identity) =>
      `${receipt.provider} ${receipt.last4digit} ${receipt.amountMinor} ${receipt.receivedAt.getTime()}`;
    fc.assert(
      fc.property(anyIdentity, anyIdentity, (left, right) => {
        const same = receiptDigest(left)?.equals(receiptDigest(right) ?? Buffer.alloc(0));
        expect(same).toBe(key(left) === key(right));
      }),
    );
  });

  it('does not depend on what else the receipt says', () => {
    const more = { ...identity(), counterparty: '01700000002', raw: '{}', flags: ['edited'] };
    expect(receiptDigest(more)).toEqual(receiptDigest(identity()));
  });
});
