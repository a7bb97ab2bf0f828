import { CELLFIN_SAMPLES } from './testing/samples/cellfin.js';
import { DIGITS_AND_CAPITALS } from './reader/message-fields.js';
import {
  type MessageRule,
  NOT_AGENT,
  USUAL_ACTIONS,
  type WalletMessages,
  type WalletProvider,
  WHITE,
} from './wallet.js';

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
  messages: MESSAGES,
};
