import { lettersAndDigits, USUAL_ACTIONS, type WalletProvider, WHITE } from './wallet.js';

export const TALLYPAY: WalletProvider = {
  code: 'tallypay',
  names: { en: 'TallyPay', bn: 'ট্যালিপে' },
  ussd: null,
  helpline: null,
  colour: '#51605a',
  ink: WHITE,
  badge: 'T',
  entry: 'trxId',
  trxId: lettersAndDigits(9, 'Txn ID', 'YY1Z85HTP'),
  guessable: false,
  currency: 'BDT',
  actions: USUAL_ACTIONS,
};
