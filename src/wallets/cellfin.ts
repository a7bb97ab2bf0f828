import { USUAL_ACTIONS, type WalletProvider, WHITE } from './wallet.js';

export const CELLFIN: WalletProvider = {
  code: 'cellfin',
  names: { en: 'CellFin', bn: 'সেলফিন' },
  ussd: null,
  helpline: null,
  colour: '#00803d',
  ink: WHITE,
  badge: 'C',
  entry: 'trxId',
  trxId: null,
  guessable: false,
  currency: 'BDT',
  actions: USUAL_ACTIONS,
};
