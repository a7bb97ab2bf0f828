import { BLACK, USUAL_ACTIONS, type WalletProvider } from './wallet.js';

export const OK_WALLET: WalletProvider = {
  code: 'okwallet',
  names: { en: 'OK Wallet', bn: 'ওকে ওয়ালেট' },
  ussd: '*269#',
  helpline: null,
  colour: '#ffde2d',
  ink: BLACK,
  badge: 'OK',
  entry: 'trxId',
  trxId: null,
  guessable: false,
  currency: 'BDT',
  actions: USUAL_ACTIONS,
};
