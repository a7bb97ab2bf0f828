import { TALLYPAY_SAMPLES } from './testing/samples/tallypay.js';
import { DIGITS_AND_CAPITALS } from './reader/message-fields.js';
import {
  lettersAndDigits,
  type MessageRule,
  NOT_AGENT,
  USUAL_ACTIONS,
  type WalletMessages,
  type WalletProvider,
  WHITE,
} from './wallet.js';

const RULES: readonly MessageRule[] = [
  // The publisher cut it: until somebody shows a whole one, it is seen and verifies nothing.
  {
    name: 'bangla_qr',
    version: 1,
    means: 'received',
    accounts: NOT_AGENT,
    provider: 'qr',
    start: '{amount} received from {account with last four} via TallyPay QR',
    rests: [],
  },
];

const MESSAGES: WalletMessages = {
  senders: ['tallypay', '09678-000005'],
  onlyWhereOffered: true,
  trxId: { alphabet: DIGITS_AND_CAPITALS, shortest: 9, longest: 9 },
  rules: RULES,
  samples: TALLYPAY_SAMPLES,
};

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
  messages: MESSAGES,
};
