import type { Language } from '../../web/language.js';

/**
 * What the page knows about wallets, as data: names, codes to dial, colours, what their transaction ids look like,
 * and the words each kind of account needs. A store may offer wallets that are not listed here.
 */

export type AccountType = 'personal' | 'merchant' | 'agent';

type InBothLanguages = Readonly<Record<Language, string>>;

export interface WalletGuide {
  /** The key of its colours in checkout.css (`data-wallet`). */
  key: string;
  names: InBothLanguages;
  /** Code to dial, null when the wallet has an app only. */
  ussd: string | null;
  /** Background of its badge. Usual colours, darkened where white text would not reach a contrast of 4.5. */
  colour: string;
  /** Text on `colour`, black or white, whichever reaches a contrast of 4.5. */
  ink: string;
  /** One or two letters on the badge; logos are trademarks. */
  badge: string;
  /** Null where the shape of its ids is not known. */
  transactionId: TransactionIdShape | null;
}

export interface TransactionIdShape {
  /** A JavaScript pattern for the whole id in capitals. A hint for the payer, never a reason to refuse. */
  pattern: string;
  description: InBothLanguages;
  example: string;
  /** How the wallet's own message writes it. */
  label: string;
  digitsOnly: boolean;
}

const WHITE = '#ffffff';
const BLACK = '#111111';

function lettersAndDigits(length: number, label: string, example: string): TransactionIdShape {
  const inBangla = String(length).replace(/[0-9]/g, (digit) => '০১২৩৪৫৬৭৮৯'.charAt(Number(digit)));
  return {
    pattern: `[A-Z0-9]{${String(length)}}`,
    description: {
      en: `${String(length)} letters and digits`,
      bn: `${inBangla}টি অক্ষর ও সংখ্যা`,
    },
    example,
    label,
    digitsOnly: false,
  };
}

const GUIDES: readonly WalletGuide[] = [
  {
    key: 'bkash',
    names: { en: 'bKash', bn: 'বিকাশ' },
    ussd: '*247#',
    colour: '#d12053',
    ink: WHITE,
    badge: 'b',
    transactionId: lettersAndDigits(10, 'TrxID', 'DKL4M7X2QP'),
  },
  {
    key: 'nagad',
    names: { en: 'Nagad', bn: 'নগদ' },
    ussd: '*167#',
    colour: '#e51a22',
    ink: WHITE,
    badge: 'N',
    transactionId: lettersAndDigits(8, 'TxnID', '75XK3M9A'),
  },
  {
    key: 'rocket',
    names: { en: 'Rocket', bn: 'রকেট' },
    ussd: '*322#',
    colour: '#8b3392',
    ink: WHITE,
    badge: 'R',
    transactionId: {
      pattern: '[0-9]{10}',
      description: { en: '10 digits', bn: '১০টি সংখ্যা' },
      example: '4821903756',
      label: 'TxnId',
      digitsOnly: true,
    },
  },
  {
    key: 'upay',
    names: { en: 'upay', bn: 'উপায়' },
    ussd: '*268#',
    colour: '#0d56a3',
    ink: WHITE,
    badge: 'u',
    transactionId: lettersAndDigits(10, 'TrxID', '01M3V6K5E3'),
  },
  {
    key: 'qr',
    names: { en: 'Bangla QR', bn: 'বাংলা কিউআর' },
    ussd: null,
    colour: '#0d7f36',
    ink: WHITE,
    badge: 'QR',
    transactionId: null,
  },
  {
    key: 'tap',
    names: { en: 'Tap', bn: 'ট্যাপ' },
    ussd: '*733#',
    colour: '#5fa845',
    ink: BLACK,
    badge: 't',
    transactionId: lettersAndDigits(14, 'TrxID', 'TAP26K21M7X2QP'),
  },
  {
    key: 'cellfin',
    names: { en: 'CellFin', bn: 'সেলফিন' },
    ussd: null,
    colour: '#00803d',
    ink: WHITE,
    badge: 'C',
    transactionId: null,
  },
  {
    key: 'mcash',
    names: { en: 'mCash', bn: 'এমক্যাশ' },
    ussd: '*259#',
    colour: '#66b330',
    ink: BLACK,
    badge: 'm',
    transactionId: null,
  },
  {
    key: 'okwallet',
    names: { en: 'OK Wallet', bn: 'ওকে ওয়ালেট' },
    ussd: '*269#',
    colour: '#ffde2d',
    ink: BLACK,
    badge: 'OK',
    transactionId: null,
  },
  {
    key: 'pathaopay',
    names: { en: 'Pathao Pay', bn: 'পাঠাও পে' },
    ussd: null,
    colour: '#3b82de',
    ink: BLACK,
    badge: 'P',
    transactionId: null,
  },
];

export const WALLET_GUIDES: ReadonlyMap<string, WalletGuide> = new Map(
  GUIDES.map((guide) => [guide.key, guide]),
);

/** The guide of a provider code; codes may be written with underscores (`ok_wallet`). */
export function findWalletGuide(provider: string): WalletGuide | null {
  return WALLET_GUIDES.get(provider.toLowerCase().replaceAll('_', '')) ?? null;
}

/**
 * What the payer must choose in the wallet. It depends on the account type, and a wrong word is the commonest reason
 * for money that arrives as another kind of message.
 */
export const ACTION_NAMES: Readonly<Record<AccountType, InBothLanguages>> = {
  personal: { en: 'Send Money', bn: 'সেন্ড মানি' },
  merchant: { en: 'Make Payment', bn: 'মেক পেমেন্ট' },
  agent: { en: 'Cash Out', bn: 'ক্যাশ আউট' },
};

export const ACCOUNT_NAMES: Readonly<Record<AccountType, InBothLanguages>> = {
  personal: { en: 'Personal account', bn: 'পার্সোনাল অ্যাকাউন্ট' },
  merchant: { en: 'Merchant account', bn: 'মার্চেন্ট অ্যাকাউন্ট' },
  agent: { en: 'Agent account', bn: 'এজেন্ট অ্যাকাউন্ট' },
};

/** Steps in their order; `{slots}` are filled by the page. The last step, what to type, is the form's own label. */
export interface WalletSteps {
  open: string;
  openAppOnly: string;
  choose: string;
  sendTo: Readonly<Record<AccountType, string>>;
  amount: string;
  charge: Readonly<Record<AccountType, string>>;
  confirm: string;
}

export const WALLET_STEPS: Readonly<Record<Language, WalletSteps>> = {
  en: {
    open: 'Open the {wallet} app, or dial {ussd}.',
    openAppOnly: 'Open the {wallet} app.',
    choose: 'Choose “{action}”.',
    sendTo: {
      personal: 'Send to this number:',
      merchant: 'Pay to this merchant number:',
      agent: 'Cash out to this agent number:',
    },
    amount: 'Amount: exactly this, not more and not less.',
    charge: {
      personal: '',
      merchant: '',
      agent: 'The wallet takes its charge from you by itself: do not add it to the amount.',
    },
    confirm: 'Confirm with your PIN in the wallet. Never type your PIN on this page.',
  },
  bn: {
    open: '{wallet} অ্যাপ খুলুন, অথবা {ussd} ডায়াল করুন।',
    openAppOnly: '{wallet} অ্যাপ খুলুন।',
    choose: '“{action}” বেছে নিন।',
    sendTo: {
      personal: 'এই নম্বরে পাঠান:',
      merchant: 'এই মার্চেন্ট নম্বরে পেমেন্ট করুন:',
      agent: 'এই এজেন্ট নম্বরে ক্যাশ আউট করুন:',
    },
    amount: 'পরিমাণ: ঠিক এটুকুই, কম বা বেশি নয়।',
    charge: {
      personal: '',
      merchant: '',
      agent: 'চার্জ ওয়ালেট নিজেই কেটে নেয়: পরিমাণের সঙ্গে চার্জ যোগ করবেন না।',
    },
    confirm: 'ওয়ালেটে আপনার পিন দিয়ে নিশ্চিত করুন। এই পাতায় কখনো পিন লিখবেন না।',
  },
};

export interface QrSteps {
  scan: string;
  amount: string;
  confirm: string;
}

export const QR_STEPS: Readonly<Record<Language, QrSteps>> = {
  en: {
    scan: 'Scan the code with any bank or wallet app. On this same phone: save the picture and open it in the app.',
    amount: 'Pay exactly this amount:',
    confirm: 'Confirm with your PIN in that app. Never type your PIN on this page.',
  },
  bn: {
    scan: 'যেকোনো ব্যাংক বা ওয়ালেট অ্যাপ দিয়ে কোডটি স্ক্যান করুন। এই ফোন থেকেই দিলে ছবিটি সেভ করে অ্যাপে খুলুন।',
    amount: 'ঠিক এই পরিমাণ দিন:',
    confirm: 'ওই অ্যাপে আপনার পিন দিয়ে নিশ্চিত করুন। এই পাতায় কখনো পিন লিখবেন না।',
  },
};
