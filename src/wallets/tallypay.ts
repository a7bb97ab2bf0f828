import { TALLYPAY_SAMPLES } from './testing/samples/tallypay.js';
import { DIGITS_AND_CAPITALS } from './reader/message-fields.js';
import {
  defineWallet,
  lettersAndDigits,
  type MessageRule,
  NOT_AGENT,
  type WalletMessages,
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

export const TALLYPAY = defineWallet({
  code: 'tallypay',
  names: { en: 'TallyPay', bn: 'ট্যালিপে' },
  colour: '#51605a',
  badge: 'T',
  trxId: lettersAndDigits(9, 'Txn ID', 'YY1Z85HTP'),
  messages: MESSAGES,
});
