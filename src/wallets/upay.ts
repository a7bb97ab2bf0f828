import { UPAY_SAMPLES } from './testing/samples/upay.js';
import {
  AGENT_ONLY,
  defineWallet,
  lettersAndDigits,
  type MessageRule,
  NOT_AGENT,
  type WalletMessages,
} from './wallet.js';

/** How messages end; a full stop or a promotion may stand behind. */
const TAIL = 'Balance {balance after Tk.}.·TrxID {trxId} at {minute}';
const END = '<|.|. {promotion}>';

const RULES: readonly MessageRule[] = [
  {
    name: 'send_money',
    version: 1,
    means: 'received',
    accounts: NOT_AGENT,
    start: '{amount after Tk.} has been received from {phone}',
    rests: [`.·Ref-·{ref}.·${TAIL}${END}`],
  },
  // Nobody has shown a whole one: the end is that of the other messages, and one that ends otherwise is incomplete.
  {
    name: 'payment',
    version: 1,
    means: 'received',
    accounts: NOT_AGENT,
    start: 'Received Payment of {amount after Tk.} from {phone}',
    rests: [`.[·Ref-·{ref}.]·${TAIL}${END}`],
  },
  {
    name: 'agent_cash_out',
    version: 1,
    means: 'received',
    accounts: AGENT_ONLY,
    start: 'You have received Cash-out of {amount after Tk.} from {phone}',
    rests: [`.·Comm:·{commission}.·${TAIL}${END}`],
  },
  // A bank's name where the payer stands: the owner's own money (wallets §2).
  {
    name: 'own_top_up',
    version: 1,
    means: 'own_money',
    accounts: [],
    start: '{amount after Tk.} has been received from <A|B|C|D|E|F|G|H|I|J|K|L|M|N|O|P|Q|R|S|T|U|V|W|X|Y|Z>',
    rests: [],
  },
  {
    name: 'sent',
    version: 1,
    means: 'sent',
    accounts: [],
    start: '{amount after Tk.} has been <sent|transferred|paid|deducted|debited> to {phone}',
    rests: [`.·Ref-·{ref}.·Fee:·{fee}.·${TAIL}[.]`, `.·Ref-·{ref}.·${TAIL}[.]`],
  },
  {
    name: 'sent_of',
    version: 1,
    means: 'sent',
    accounts: [],
    start: '{amount after Tk.} has been <sent|transferred|paid|deducted|debited|withdrawn>',
    rests: [],
  },
  {
    name: 'cash_out',
    version: 1,
    means: 'sent',
    accounts: [],
    start:
      '<Cash-out of|Cash Out of|Cash-in of|Payment of|Send Money of|You have sent|You have paid|Bill Payment|Bill payment|Mobile Recharge|Recharge of|Transfer of|Fund Transfer> ',
    rests: [],
  },
  {
    name: 'add_money',
    version: 1,
    means: 'own_money',
    accounts: [],
    start: '<Add Money|Add money|You have received remittance|You have received interest>',
    rests: [],
  },
  {
    name: 'refund',
    version: 1,
    means: 'reversal',
    accounts: [],
    start: '<Refund|Your refund|Reversal>',
    rests: [],
  },
  {
    name: 'cashback',
    version: 1,
    means: 'promotion',
    accounts: [],
    start:
      '<Congratulations|Congrats|You have received cashback|You have received Cashback|You have received a cashback|You have received bonus>',
    rests: [],
  },
  {
    name: 'b2b_in',
    version: 1,
    means: 'agent_direction',
    accounts: [],
    start: '<B2B|You have received B2B>',
    rests: [],
  },
];

/** Crockford's base 32: without I, L, O and U. */
const ID_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

const MESSAGES: WalletMessages = {
  senders: ['upay'],
  onlyWhereOffered: false,
  trxId: { alphabet: ID_ALPHABET, shortest: 10, longest: 10 },
  rules: RULES,
  samples: UPAY_SAMPLES,
};

export const UPAY = defineWallet({
  code: 'upay',
  names: { en: 'upay', bn: 'উপায়' },
  ussd: '*268#',
  helpline: '16268',
  colour: '#0d56a3',
  badge: 'u',
  trxId: lettersAndDigits(10, 'TrxID', '01M3V6K5E3'),
  messages: MESSAGES,
});
