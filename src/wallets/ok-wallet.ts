import { OK_WALLET_SAMPLES } from './testing/samples/ok-wallet.js';
import { DIGITS_AND_CAPITALS } from './reader/message-fields.js';
import { BLACK, type MessageRule, NOT_AGENT, type WalletMessages, defineWallet } from './wallet.js';

const RULES: readonly MessageRule[] = [
  {
    name: 'send_money',
    version: 1,
    means: 'received',
    accounts: NOT_AGENT,
    start: '(OK Wallet) Successfully received {amount} from A/C {account}',
    rests: ['. Ref: {ref} Balance {balance}. TrxID {trxId}[.]'],
  },
];

const MESSAGES: WalletMessages = {
  senders: ['01847348685', '16269'],
  onlyWhereOffered: true,
  trxId: { alphabet: DIGITS_AND_CAPITALS, shortest: 6, longest: 20 },
  rules: RULES,
  samples: OK_WALLET_SAMPLES,
};

export const OK_WALLET = defineWallet({
  code: 'okwallet',
  names: { en: 'OK Wallet', bn: 'ওকে ওয়ালেট' },
  ussd: '*269#',
  colour: '#ffde2d',
  ink: BLACK,
  badge: 'OK',
  messages: MESSAGES,
});
