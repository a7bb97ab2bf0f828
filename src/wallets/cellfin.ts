import { CELLFIN_SAMPLES } from './testing/samples/cellfin.js';
import { DIGITS_AND_CAPITALS } from './reader/message-fields.js';
import { defineWallet, type MessageRule, NOT_AGENT, type WalletMessages } from './wallet.js';

const RULES: readonly MessageRule[] = [
  {
    name: 'send_money',
    version: 1,
    means: 'received',
    accounts: NOT_AGENT,
    start: 'Islami Bank CellFin Received {bare amount} Tk From CellFin: {phone}',
    rests: [' To CellFin: {own account} TrxId: {trxId}[.]'],
  },
];

const MESSAGES: WalletMessages = {
  senders: ['IBBL .'],
  onlyWhereOffered: true,
  trxId: { alphabet: DIGITS_AND_CAPITALS, shortest: 6, longest: 20 },
  rules: RULES,
  samples: CELLFIN_SAMPLES,
};

export const CELLFIN = defineWallet({
  code: 'cellfin',
  names: { en: 'CellFin', bn: 'সেলফিন' },
  colour: '#00803d',
  badge: 'C',
  messages: MESSAGES,
});
