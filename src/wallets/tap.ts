import { TAP_SAMPLES } from './testing/samples/tap.js';
import { DIGITS_AND_CAPITALS } from './reader/message-fields.js';
import {
  BLACK,
  defineWallet,
  lettersAndDigits,
  type MessageRule,
  NOT_AGENT,
  type WalletMessages,
} from './wallet.js';

const RULES: readonly MessageRule[] = [
  {
    name: 'send_money',
    version: 1,
    means: 'received',
    accounts: NOT_AGENT,
    start: 'Received {amount} from {phone}',
    rests: ['. Balance {balance after Tk.}. TxID: {trxId}[.]'],
  },
  {
    name: 'out',
    version: 1,
    means: 'sent',
    accounts: [],
    start: '<Cash Out|Send Money|Payment> {amount} to {phone}',
    rests: [],
  },
];

const MESSAGES: WalletMessages = {
  senders: ['tap.', 'tap'],
  onlyWhereOffered: true,
  trxId: { alphabet: DIGITS_AND_CAPITALS, shortest: 14, longest: 14 },
  rules: RULES,
  samples: TAP_SAMPLES,
};

export const TAP = defineWallet({
  code: 'tap',
  names: { en: 'Tap', bn: 'ট্যাপ' },
  ussd: '*733#',
  colour: '#5fa845',
  ink: BLACK,
  badge: 't',
  trxId: lettersAndDigits(14, 'TrxID', 'TAP26K21M7X2QP'),
  messages: MESSAGES,
});
