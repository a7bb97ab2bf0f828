import { PATHAO_PAY_SAMPLES } from './testing/samples/pathao-pay.js';
import { DIGITS_AND_CAPITALS } from './reader/message-fields.js';
import { BLACK, defineWallet, type MessageRule, NOT_AGENT, type WalletMessages } from './wallet.js';

const RULES: readonly MessageRule[] = [
  {
    name: 'send_money',
    version: 1,
    means: 'received',
    accounts: NOT_AGENT,
    start: 'You have received {amount} from {phone}',
    rests: ['. Balance {balance} TrxID {trxId}[.]'],
  },
];

const MESSAGES: WalletMessages = {
  senders: ['PathaoPay'],
  onlyWhereOffered: true,
  trxId: { alphabet: DIGITS_AND_CAPITALS, shortest: 6, longest: 20 },
  rules: RULES,
  samples: PATHAO_PAY_SAMPLES,
};

export const PATHAO_PAY = defineWallet({
  code: 'pathaopay',
  names: { en: 'Pathao Pay', bn: 'পাঠাও পে' },
  colour: '#3b82de',
  ink: BLACK,
  badge: 'P',
  messages: MESSAGES,
});
