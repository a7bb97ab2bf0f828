import { describe, expect, it } from 'vitest';
import {
  findWallet,
  PROVIDER_PATTERN,
  QR_PROVIDER,
  WalletRegistry,
  type WalletProvider,
  WALLETS,
} from './index.js';

/*
 * Goal: whoever looks a wallet up finds the one that is meant, and two wallets never share a code. Method: the
 * wallets the service comes with as a table, and a registry of its own for what an extension may do.
 */

const bkash = findWallet('bkash');
if (bkash === null) throw new Error('bKash is built in.');
const own: WalletProvider = { ...bkash, code: 'own_wallet', names: { en: 'Own', bn: 'নিজের' } };

describe('the wallets', () => {
  it('are the built-in ones of the contract, all paying in BDT', () => {
    for (const code of ['bkash', 'nagad', 'rocket', 'upay', QR_PROVIDER]) {
      expect(findWallet(code)).toMatchObject({ code, currency: 'BDT' });
    }
    for (const { code } of WALLETS.list()) expect(code).toMatch(PROVIDER_PATTERN);
  });

  it('say which ids can be guessed, and where the payer types four digits', () => {
    const codes = (fits: (wallet: WalletProvider) => boolean) =>
      WALLETS.list()
        .filter(fits)
        .map(({ code }) => code);
    expect(codes(({ guessable }) => guessable)).toEqual(['nagad', 'rocket', 'qr']);
    expect(codes(({ entry }) => entry === 'last4digit')).toEqual(['qr']);
  });

  it('give examples that have the shape of their ids', () => {
    for (const { trxId } of WALLETS.list()) {
      if (trxId !== null) expect(trxId.example).toMatch(new RegExp(`^${trxId.pattern}$`));
    }
  });
});

describe('a registry', () => {
  it('takes the wallet of an extension, once or as often as it is handed in', () => {
    const registry = new WalletRegistry();
    registry.add(own);
    registry.add(own);
    expect(registry.find('own_wallet')).toBe(own);
    expect(registry.find('nobody')).toBeNull();
  });

  it('finds a code that was written with underscores', () => {
    expect(findWallet('ok_wallet')?.code).toBe('okwallet');
  });

  it('refuses a code that is taken or malformed', () => {
    const registry = new WalletRegistry();
    expect(() => registry.add({ ...own, code: 'bkash' })).toThrow('"bkash"');
    expect(() => registry.add({ ...own, code: 'Own Wallet' })).toThrow('"Own Wallet"');
  });
});
