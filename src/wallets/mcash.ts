import { MCASH_SAMPLES } from './testing/samples/mcash.js';
import { DIGITS_AND_CAPITALS } from './reader/message-fields.js';
import { BLACK, defineWallet, type MessageRule, NOT_AGENT, type WalletMessages } from './wallet.js';

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

export const MCASH = defineWallet({
  code: 'mcash',
  names: { en: 'mCash', bn: 'এমক্যাশ' },
  ussd: '*259#',
  colour: '#66b330',
  ink: BLACK,
  badge: 'm',
  messages: MESSAGES,
});
