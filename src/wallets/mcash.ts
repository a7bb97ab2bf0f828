import { MCASH_SAMPLES } from './testing/samples/mcash.js';
import { DIGITS_AND_CAPITALS } from './reader/message-fields.js';
import {
  BLACK,
  type MessageRule,
  NOT_AGENT,
  USUAL_ACTIONS,
  type WalletMessages,
  type WalletProvider,
} from './wallet.js';

const RULES: readonly MessageRule[] = [
  {
    name: 'send_money',
    version: 1,
    means: 'received',
    accounts: NOT_AGENT,
    start: 'IBBL mCash You have received Tk: {bare amount} From: {phone}',
    rests: [' Reference: {ref} Balance Tk: {balance} TrxID: {trxId}[.]'],
  },
];

const MESSAGES: WalletMessages = {
  senders: ['16259'],
  onlyWhereOffered: true,
  trxId: { alphabet: DIGITS_AND_CAPITALS, shortest: 6, longest: 20 },
  rules: RULES,
  samples: MCASH_SAMPLES,
};

export const MCASH: WalletProvider = {
  code: 'mcash',
  names: { en: 'mCash', bn: 'এমক্যাশ' },
  ussd: '*259#',
  helpline: null,
  colour: '#66b330',
  ink: BLACK,
  badge: 'm',
  entry: 'trxId',
  trxId: null,
  guessable: false,
  currency: 'BDT',
  actions: USUAL_ACTIONS,
  messages: MESSAGES,
};
