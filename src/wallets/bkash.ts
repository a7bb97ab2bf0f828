import { lettersAndDigits, USUAL_ACTIONS, type WalletProvider, WHITE } from './wallet.js';

export const BKASH: WalletProvider = {
  code: 'bkash',
  names: { en: 'bKash', bn: 'বিকাশ' },
  ussd: '*247#',
  helpline: '16247',
  colour: '#d12053',
  ink: WHITE,
  badge: 'b',
  entry: 'trxId',
  trxId: lettersAndDigits(10, 'TrxID', 'DKL4M7X2QP'),
  guessable: false,
  currency: 'BDT',
  actions: USUAL_ACTIONS,
};
