import { OK_WALLET_SAMPLES } from './testing/samples/ok-wallet.js';
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

export const OK_WALLET: WalletProvider = {
  code: 'okwallet',
  names: { en: 'OK Wallet', bn: 'ওকে ওয়ালেট' },
  ussd: '*269#',
  helpline: null,
  colour: '#ffde2d',
  ink: BLACK,
  badge: 'OK',
  entry: 'trxId',
  trxId: null,
  guessable: false,
  currency: 'BDT',
  actions: USUAL_ACTIONS,
  messages: MESSAGES,
};
