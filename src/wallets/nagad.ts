import { lettersAndDigits, USUAL_ACTIONS, type WalletProvider, WHITE } from './wallet.js';

export const NAGAD: WalletProvider = {
  code: 'nagad',
  names: { en: 'Nagad', bn: 'নগদ' },
  ussd: '*167#',
  helpline: '16167',
  colour: '#e51a22',
  ink: WHITE,
  badge: 'N',
  entry: 'trxId',
  trxId: lettersAndDigits(8, 'TxnID', '75XK3M9A'),
  guessable: true,
  currency: 'BDT',
  actions: USUAL_ACTIONS,
};
