import { BLACK, USUAL_ACTIONS, type WalletProvider } from './wallet.js';

export const MCASH: WalletProvider = {
  code: 'mcash',
  names: { en: 'mCash', bn: 'এমক্যাশ' },
  ussd: '*259#',
  helpline: null,
  colour: '#66b330',
  ink: BLACK,
  badge: 'm',
  entry: 'trxId',
  trxId: null,
  guessable: false,
  currency: 'BDT',
  actions: USUAL_ACTIONS,
};
