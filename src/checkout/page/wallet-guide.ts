import type { Language } from '../../platform/web/language.js';
import type { AccountType, InBothLanguages } from '../../wallets/index.js';

/** The words of paying with a wallet. What differs from wallet to wallet stands with the wallet (`src/wallets`). */

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
  /** Where the amount stands at the code. */
  amountAbove: string;
  confirm: string;
}

export const QR_STEPS: Readonly<Record<Language, QrSteps>> = {
  en: {
    scan: 'Scan the code with any bank or wallet app. On this same phone: save the picture and open it in the app.',
    amount: 'Pay exactly this amount:',
    amountAbove: 'Type exactly the amount under the code, not more and not less.',
    confirm: 'Confirm with your PIN in that app. Never type your PIN on this page.',
  },
  bn: {
    scan: 'যেকোনো ব্যাংক বা ওয়ালেট অ্যাপ দিয়ে কোডটি স্ক্যান করুন। এই ফোন থেকেই দিলে ছবিটি সেভ করে অ্যাপে খুলুন।',
    amount: 'ঠিক এই পরিমাণ দিন:',
    amountAbove: 'কোডের নিচে লেখা পরিমাণটি ঠিক সেভাবেই লিখুন, কম বা বেশি নয়।',
    confirm: 'ওই অ্যাপে আপনার পিন দিয়ে নিশ্চিত করুন। এই পাতায় কখনো পিন লিখবেন না।',
  },
};
