import { lettersAndDigits, USUAL_ACTIONS, type WalletProvider, WHITE } from './wallet.js';

export const UPAY: WalletProvider = {
  code: 'upay',
  names: { en: 'upay', bn: 'উপায়' },
  ussd: '*268#',
  helpline: '16268',
  colour: '#0d56a3',
  ink: WHITE,
  badge: 'u',
  entry: 'trxId',
  trxId: lettersAndDigits(10, 'TrxID', '01M3V6K5E3'),
  guessable: false,
  currency: 'BDT',
  actions: USUAL_ACTIONS,
};
