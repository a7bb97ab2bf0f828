import { ROCKET_SAMPLES } from './testing/samples/rocket.js';
import { DIGITS } from './reader/message-fields.js';
import { AGENT_ONLY, defineWallet, type MessageRule, NOT_AGENT, type WalletMessages } from './wallet.js';

/** How messages end: id, time, and perhaps a full stop or a promotion. */
const TAIL = 'TxnId:·{trxId}·Date:·{second}<|.|. {promotion}>';
const OWN_BALANCE = `Your A/C Balance:·{balance}[.]·${TAIL}`;
const NET_BALANCE = `Fee:·{fee} NetBal:·{balance}[.] ${TAIL}`;

const RULES: readonly MessageRule[] = [
  {
    name: 'send_money',
    version: 1,
    means: 'received',
    accounts: NOT_AGENT,
    start: '{amount} received from A/C:·{account}',
    rests: [` Fee:·{fee}, ${OWN_BALANCE}`],
  },
  {
    name: 'payment',
    version: 1,
    means: 'received',
    accounts: NOT_AGENT,
    start: '{amount after Tk.} received from A/C:·{account} Ref No:',
    rests: [`·{ref} ${NET_BALANCE}`],
  },
  // Nobody has shown a whole one: the end is that of a payment, and one that ends otherwise is incomplete.
  {
    name: 'bangla_qr',
    version: 1,
    means: 'received',
    accounts: NOT_AGENT,
    provider: 'qr',
    start: '{amount} received from Ac./Card:·{account with last four}',
    rests: [`[ Ref No:·{ref}] ${NET_BALANCE}`],
  },
  {
    name: 'cash_in',
    version: 1,
    means: 'received',
    accounts: NOT_AGENT,
    start: 'Cash-In from A/C:·{account}·{amount}',
    rests: [`·Fee:·{fee}, ${OWN_BALANCE}`],
  },
  {
    name: 'agent_cash_out',
    version: 1,
    means: 'received',
    accounts: AGENT_ONLY,
    start: 'Cash-Out from A/C:·{account}·{amount}',
    rests: [`·Comm:·{commission}; A/C Balance:·{balance}[.]·${TAIL}`],
  },
  {
    name: 'send_money_out',
    version: 1,
    means: 'sent',
    accounts: [],
    start: '{amount} <transferred|sent|paid> to A/C:·{account}',
    rests: [` Fee:·{fee}, ${OWN_BALANCE}`],
  },
  {
    name: 'payment_out',
    version: 1,
    means: 'sent',
    accounts: [],
    start: '{amount} <transferred|sent|paid|payment|recharged|debited>',
    rests: [],
  },
  {
    name: 'cash_out',
    version: 1,
    means: 'sent',
    accounts: [],
    start: 'Cash-Out to A/C:·{account}·{amount}',
    rests: [`·Fee:·{fee}[,] ${OWN_BALANCE}`],
  },
  {
    name: 'agent_cash_in',
    version: 1,
    means: 'sent',
    accounts: [],
    start: 'Cash-In to A/C:·{account}·{amount}',
    rests: [],
  },
  {
    name: 'other_out',
    version: 1,
    means: 'sent',
    accounts: [],
    start:
      '<Cash-Out to|Cash-In to|Payment of|Payment to|Bill Payment|Bill payment|Mobile Recharge|Recharge|Top-up|Merchant Payment|ATM Cash-Out>',
    rests: [],
  },
  {
    name: 'b2b_in',
    version: 1,
    means: 'agent_direction',
    accounts: [],
    start: 'B2B',
    rests: [],
  },
  // The bank writes under the same sender id as its wallet.
  {
    name: 'bank',
    version: 1,
    means: 'own_money',
    accounts: [],
    start: 'Dear <Sir|Customer|Madam|Client>',
    rests: [],
  },
  {
    name: 'refund',
    version: 1,
    means: 'reversal',
    accounts: [],
    start: '<Refund|Reversal|Reversed>',
    rests: [],
  },
  {
    name: 'bonus',
    version: 1,
    means: 'promotion',
    accounts: [],
    start: '<Congratulations|Congrats>',
    rests: [],
  },
];

const MESSAGES: WalletMessages = {
  senders: ['16216'],
  onlyWhereOffered: false,
  trxId: { alphabet: DIGITS, shortest: 10, longest: 10 },
  rules: RULES,
  samples: ROCKET_SAMPLES,
};

export const ROCKET = defineWallet({
  code: 'rocket',
  names: { en: 'Rocket', bn: 'রকেট' },
  ussd: '*322#',
  helpline: '16216',
  colour: '#8b3392',
  badge: 'R',
  trxId: {
    pattern: '[0-9]{10}',
    description: { en: '10 digits', bn: '১০টি সংখ্যা' },
    example: '4821903756',
    label: 'TxnId',
    digitsOnly: true,
  },
  guessable: true,
  messages: MESSAGES,
});
