import { BLACK, lettersAndDigits, USUAL_ACTIONS, type WalletProvider } from './wallet.js';

export const TAP: WalletProvider = {
  code: 'tap',
  names: { en: 'Tap', bn: 'ট্যাপ' },
  ussd: '*733#',
  helpline: null,
  colour: '#5fa845',
  ink: BLACK,
  badge: 't',
  entry: 'trxId',
  trxId: lettersAndDigits(14, 'TrxID', 'TAP26K21M7X2QP'),
  guessable: false,
  currency: 'BDT',
  actions: USUAL_ACTIONS,
};
