import { USUAL_ACTIONS, type WalletProvider, WHITE } from './wallet.js';

export const ROCKET: WalletProvider = {
  code: 'rocket',
  names: { en: 'Rocket', bn: 'রকেট' },
  ussd: '*322#',
  helpline: '16216',
  colour: '#8b3392',
  ink: WHITE,
  badge: 'R',
  entry: 'trxId',
  trxId: {
    pattern: '[0-9]{10}',
    description: { en: '10 digits', bn: '১০টি সংখ্যা' },
    example: '4821903756',
    label: 'TxnId',
    digitsOnly: true,
  },
  guessable: true,
  currency: 'BDT',
  actions: USUAL_ACTIONS,
};
