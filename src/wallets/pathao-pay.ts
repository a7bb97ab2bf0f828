import { BLACK, USUAL_ACTIONS, type WalletProvider } from './wallet.js';

export const PATHAO_PAY: WalletProvider = {
  code: 'pathaopay',
  names: { en: 'Pathao Pay', bn: 'পাঠাও পে' },
  ussd: null,
  helpline: null,
  colour: '#3b82de',
  ink: BLACK,
  badge: 'P',
  entry: 'trxId',
  trxId: null,
  guessable: false,
  currency: 'BDT',
  actions: USUAL_ACTIONS,
};
