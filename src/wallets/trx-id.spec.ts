import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lookAlikesOf, normaliseTrxId, readTypedTrxId } from './trx-id.js';

/*
 * Rules: contract 4.9, 5.34.
 *
 * Goal: two users who write the same transaction id differently mean the same one, and nothing else ever does.
 * Method: the spellings that occur in tables, the rules of contract 4.9 as properties over every text.
 */

describe('normaliseTrxId', () => {
  it.each([
    ['DIJ3MXAHCJ', 'DIJ3MXAHCJ'],
    ['dij3mxahcj', 'DIJ3MXAHCJ'],
    ['  DIJ3MXAHCJ\n', 'DIJ3MXAHCJ'],
    ['DIJ3 MXA\tHCJ', 'DIJ3MXAHCJ'],
    ['\u00a0DIJ3\u2003MXAHCJ\ufeff', 'DIJ3MXAHCJ'],
    ['0000', '0000'],
    ['a.b-c_d', 'A.B-C_D'],
    ['A'.repeat(64), 'A'.repeat(64)],
    [` ${'a '.repeat(64)}`, 'A'.repeat(64)],
  ])('reads %j', (text, trxId) => {
    expect(normaliseTrxId(text)).toBe(trxId);
  });

  it.each([
    ['nothing', ''],
    ['blanks', '    '],
    ['three characters', 'ABC'],
    ['three characters and blanks', 'A B C '],
    ['65 characters', 'A'.repeat(65)],
    ['a slash', 'DIJ3/MXA'],
    ['a second line', 'DIJ3MXAHCJ\nfoo!'],
    ['NUL', 'DIJ3\u0000MXA'],
    ['Cyrillic А', '\u0410BCDE'],
    ['Kelvin sign, which is no K', 'DIJ\u212aMXA'],
    ['dotless i, whose capital is I', 'd\u0131j3mxahcj'],
    ['long s, whose capital is S', 'di\u017f3mxahcj'],
    ['a ligature, whose capital is two letters', 'di\ufb01mxahcj'],
    ['full-width letters', '\uff24\uff29\uff2a\uff13'],
    ['Bangla digits', '\u09e7\u09e8\u09e9\u09ea'],
    ['a zero-width space', 'DIJ3\u200bMXA'],
    ['half a character', 'DIJ3\ud83dMXA'],
  ])('refuses %s', (_what, text) => {
    expect(normaliseTrxId(text)).toBeNull();
  });

  it('answers null or an id of the form that is stored, for every text', () => {
    const nearlyAnId = fc.string({
      unit: fc.constantFrom('A', 'z', '9', '.', '_', '-', ' ', '\u00a0', '/', '\u0131', '\u{1f600}'),
      maxLength: 70,
    });
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), nearlyAnId), (text) => {
        const trxId = normaliseTrxId(text);
        if (trxId !== null) expect(trxId).toMatch(/^[A-Z0-9._-]{4,64}$/);
      }),
    );
  });

  it('knows an id however it is spaced and in whatever case, and changes it no further', () => {
    const id = fc.stringMatching(/^[A-Z0-9._-]{4,64}$/);
    fc.assert(
      fc.property(id, fc.array(fc.nat(200), { maxLength: 5 }), fc.boolean(), (trxId, blanksAt, lower) => {
        let typed = lower ? trxId.toLowerCase() : trxId;
        for (const at of blanksAt)
          typed = `${typed.slice(0, at % (typed.length + 1))} ${typed.slice(at % (typed.length + 1))}`;
        expect(normaliseTrxId(typed)).toBe(trxId);
        expect(normaliseTrxId(trxId)).toBe(trxId);
      }),
    );
  });
});

describe('readTypedTrxId', () => {
  it.each([
    ['trxid dij3 mxahcj', 'DIJ3MXAHCJ'],
    ['TrxID: DIJ3MXAHCJ.', 'DIJ3MXAHCJ'],
    ['Txn ID 75K92M3Z', '75K92M3Z'],
    ['৬৬০৬৭৮১২৮৪', '6606781284'],
    ['You paid. TrxID AAA1B2C3D4 Ref x. TrxID DIJ3MXAHCJ at 19/09/2026 00:57', 'DIJ3MXAHCJ'],
    ['TRXID12345', 'TRXID12345'],
  ])('reads %j', (typed, trxId) => {
    expect(readTypedTrxId(typed)).toBe(trxId);
  });

  it('folds no other alphabet', () => {
    expect(normaliseTrxId(readTypedTrxId('DIJ3MX\u0410HCJ'))).toBeNull();
  });
});

describe('lookAlikesOf', () => {
  it('reads O as 0, and I, L and 1 as each other', () => {
    expect(lookAlikesOf('AO1').sort()).toEqual(['A01', 'A0I', 'A0L', 'AOI', 'AOL']);
    expect(lookAlikesOf('ABC9')).toEqual([]);
  });

  it('gives up where there are too many', () => {
    expect(lookAlikesOf('1111111111')).toEqual([]);
  });
});
