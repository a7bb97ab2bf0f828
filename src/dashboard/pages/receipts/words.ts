import { type ReceiptStatus } from '../../../payments/index.js';
import { type InBothLanguages } from '../../kit/page-definition.js';

export const NAME = { en: 'Receipts', bn: 'রসিদ' };
export const TEXT = {
  one: { en: 'Receipt', bn: 'রসিদ' },
  empty: {
    en: 'No unclaimed receipt: every money that came belongs to a payment.',
    bn: 'কোনো অমিল রসিদ নেই: আসা সব টাকারই পেমেন্ট আছে।',
  },
  emptyOther: { en: 'No receipt fits this.', bn: 'এর সঙ্গে মেলে এমন রসিদ নেই।' },
  doubtful: { en: 'Kept for a person to look at', bn: 'একজনকে দেখতে হবে' },
  unclaimed: { en: 'Unclaimed', bn: 'পেমেন্ট নেই' },
  void: { en: 'Void', bn: 'বাতিল করুন' },
  voidLead: {
    en: 'Void it if the money went back or was for something else: it never pays anything again. A manager can restore it.',
    bn: 'টাকা ফেরত গেলে বা অন্য কিছুর হলে বাতিল করুন: এটি আর কিছু শোধ করবে না। ম্যানেজার ফেরাতে পারেন।',
  },
  restore: { en: 'Restore', bn: 'ফিরিয়ে আনুন' },
  restoreLead: {
    en: 'This receipt is void and pays nothing. Restored, it is free again, and a waiting payment that fits it gets it.',
    bn: 'রসিদটি বাতিল, কিছু শোধ করে না। ফিরিয়ে আনলে আবার খালি হবে; অপেক্ষায় থাকা যে পেমেন্টে মেলে সে পাবে।',
  },
  claiming: { en: 'In review over this receipt', bn: 'এই রসিদ নিয়ে যাচাইয়ে আছে' },
  whose: { en: 'Whose is it?', bn: 'এটি কার?' },
  fitsNone: { en: 'nothing agrees', bn: 'কিছুই মেলে না' },
  match: { en: 'Match', bn: 'মেলান' },
  matchLead: {
    en: 'Say which payment this money is for. Equal amounts verify it; anything else goes to the review.',
    bn: 'এই টাকা কোন পেমেন্টের, বলুন। পরিমাণ সমান হলে যাচাই হবে; না হলে যাচাইয়ের তালিকায় যাবে।',
  },
  proposed: { en: 'Payment', bn: 'পেমেন্ট' },
  noProposals: {
    en: 'No open payment is near this receipt.',
    bn: 'এই রসিদের কাছাকাছি কোনো খোলা পেমেন্ট নেই।',
  },
  otherPayment: { en: 'Or by another id', bn: 'অথবা অন্য আইডি দিয়ে' },
  sameAmount: { en: 'same amount', bn: 'একই পরিমাণ' },
  sameTrxId: { en: 'same TrxID', bn: 'একই TrxID' },
  samePhone: { en: 'same phone', bn: 'একই ফোন' },
  sameWallet: { en: 'same wallet', bn: 'একই ওয়ালেট' },
  came: { en: 'The money came', bn: 'টাকা এসেছে' },
  arrived: { en: 'Reached us', bn: 'আমাদের কাছে' },
  source: { en: 'Source', bn: 'উৎস' },
  balance: { en: 'Balance after it', bn: 'এরপর ব্যালান্স' },
  flags: { en: 'Doubts', bn: 'সন্দেহ' },
  payment: { en: 'Payment', bn: 'পেমেন্ট' },
  raw: { en: 'As it came', bn: 'যেমন এসেছে' },
};

export const RECEIPT_WORDS: Readonly<Record<ReceiptStatus, InBothLanguages>> = {
  unmatched: { en: 'Unclaimed', bn: 'পেমেন্ট নেই' },
  matched: { en: 'Matched', bn: 'মিলেছে' },
  review: { en: 'In review', bn: 'যাচাই করতে হবে' },
  void: { en: 'Void', bn: 'বাতিল' },
  ignored: { en: 'Ignored', bn: 'উপেক্ষিত' },
};
