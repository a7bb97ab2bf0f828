import { PAYMENT_STATUSES, type PaymentStatus, type ReviewReason } from '../../payments/index.js';
import type { Language } from '../../platform/web/language.js';
import type { InBothLanguages } from './page-definition.js';

/*
 * Words that several pages of the dashboard use. What one page alone says stands with it. Records over states and
 * reasons are exhaustive: the compiler names what a new one still needs.
 */

export const STATUS_WORDS: Readonly<Record<PaymentStatus, InBothLanguages>> = {
  pending: { en: 'Not paid yet', bn: 'টাকা আসেনি' },
  submitted: { en: 'Waiting for the receipt', bn: 'বার্তার অপেক্ষায়' },
  verified: { en: 'Verified', bn: 'যাচাই হয়েছে' },
  review: { en: 'In review', bn: 'যাচাই করতে হবে' },
  expired: { en: 'Expired', bn: 'সময় শেষ' },
  cancelled: { en: 'Cancelled', bn: 'বাতিল' },
};

const UNKNOWN_STATUS: InBothLanguages = { en: 'Unknown state', bn: 'অজানা অবস্থা' };

/** A state that is not known here, of a newer replica or an extension, is said to be just that. */
export function statusWords(status: PaymentStatus): InBothLanguages {
  return PAYMENT_STATUSES.includes(status) ? STATUS_WORDS[status] : UNKNOWN_STATUS;
}

export const REASON_WORDS: Readonly<Record<ReviewReason, InBothLanguages>> = {
  underpaid: { en: 'Less money came than was asked for.', bn: 'যত চাওয়া হয়েছে তার চেয়ে কম টাকা এসেছে।' },
  overpaid: { en: 'More money came than was asked for.', bn: 'যত চাওয়া হয়েছে তার চেয়ে বেশি টাকা এসেছে।' },
  currency_mismatch: { en: 'The money came in another currency.', bn: 'টাকা অন্য মুদ্রায় এসেছে।' },
  late: {
    en: 'The money came after the time for this payment was over.',
    bn: 'পেমেন্টের সময় শেষ হওয়ার পরে টাকা এসেছে।',
  },
  old_money: {
    en: 'The money came long before this payment was made. Is it really for this order?',
    bn: 'এই পেমেন্ট তৈরির অনেক আগে টাকা এসেছে। এটি কি সত্যিই এই অর্ডারের?',
  },
  ambiguous: {
    en: 'More than one payment or receipt fits. Choose which belong together.',
    bn: 'একাধিক পেমেন্ট বা রসিদ মেলে। কোনটি কার, বেছে দিন।',
  },
  wrong_wallet: {
    en: 'The money came in another wallet than this payment is for.',
    bn: 'এই পেমেন্টের ওয়ালেটে নয়, অন্য ওয়ালেটে টাকা এসেছে।',
  },
  trx_id_used: {
    en: 'The receipt that fits belongs to another payment. Somebody may be reusing a TrxID.',
    bn: 'যে রসিদ মেলে তা অন্য পেমেন্টের। কেউ হয়তো পুরোনো TrxID আবার দিয়েছে।',
  },
  flagged: {
    en: 'Something about the message of this money is doubtful. Look into the wallet before you approve.',
    bn: 'টাকার বার্তাটি সন্দেহজনক। অনুমোদনের আগে ওয়ালেটে দেখে নিন।',
  },
};

export function reasonWords(reason: ReviewReason | null): InBothLanguages {
  const other = { en: 'A person must look at this payment.', bn: 'একজনকে এই পেমেন্টটি দেখতে হবে।' };
  return reason !== null && Object.hasOwn(REASON_WORDS, reason) ? REASON_WORDS[reason] : other;
}

/** Controls and terms. */
export const WORDS = {
  product: { en: 'Joma', bn: 'জমা' },
  skip: { en: 'Skip to the content', bn: 'মূল অংশে যান' },
  navigation: { en: 'Pages of the store', bn: 'দোকানের পাতা' },
  general: { en: 'General', bn: 'সাধারণ' },
  otherLanguage: { en: 'বাংলা', bn: 'English' },
  signIn: { en: 'Sign in', bn: 'সাইন ইন' },
  signOut: { en: 'Sign out', bn: 'সাইন আউট' },
  save: { en: 'Save', bn: 'সেভ করুন' },
  add: { en: 'Add', bn: 'যোগ করুন' },
  show: { en: 'Show', bn: 'দেখান' },
  filter: { en: 'Filter', bn: 'খুঁজুন' },
  next: { en: 'Next', bn: 'পরের পাতা' },
  first: { en: 'Back to the newest', bn: 'সবচেয়ে নতুনগুলো' },
  confirm: { en: 'Confirm', bn: 'নিশ্চিত করুন' },
  goBack: { en: 'Go back', bn: 'ফিরে যান' },
  copy: { en: 'Copy', bn: 'কপি' },
  news: { en: 'Something new: show it', bn: 'নতুন খবর: দেখুন' },
  copied: { en: 'Copied', bn: 'কপি হয়েছে' },
  all: { en: 'All', bn: 'সব' },
  none: { en: '–', bn: '–' },
  yes: { en: 'Yes', bn: 'হ্যাঁ' },
  no: { en: 'No', bn: 'না' },
  reason: { en: 'Reason', bn: 'কারণ' },
  reasonHint: {
    en: 'Stands in the audit log: what you saw, for whoever asks later.',
    bn: 'অডিট লগে থাকবে: পরে কেউ জানতে চাইলে।',
  },
  amount: { en: 'Amount', bn: 'পরিমাণ' },
  wallet: { en: 'Wallet', bn: 'ওয়ালেট' },
  status: { en: 'Status', bn: 'অবস্থা' },
  day: { en: 'Day', bn: 'তারিখ' },
  search: { en: 'Search', bn: 'অনুসন্ধান' },
  trxId: { en: 'TrxID', bn: 'TrxID' },
  lastFour: { en: 'Last four digits', bn: 'শেষ চারটি সংখ্যা' },
  sender: { en: 'Sender', bn: 'প্রেরক' },
  phone: { en: 'Phone', bn: 'ফোন' },
  note: { en: 'Note', bn: 'নোট' },
  name: { en: 'Name', bn: 'নাম' },
  customerName: { en: 'Customer name', bn: 'ক্রেতার নাম' },
  currency: { en: 'Currency', bn: 'মুদ্রা' },
  email: { en: 'E-mail', bn: 'ই-মেইল' },
  password: { en: 'Password', bn: 'পাসওয়ার্ড' },
  simulated: { en: 'Simulated', bn: 'পরীক্ষামূলক' },
  pagesOfList: { en: 'Further pages', bn: 'আরও পাতা' },
  refused: { en: 'That was not done', bn: 'কাজটি হয়নি' },
  look: { en: 'Look at the field that is marked.', bn: 'চিহ্নিত ঘরটি দেখুন।' },
} satisfies Record<string, InBothLanguages>;

/** The notices after an action succeeded; `?done=` names it. */
export const DONE_WORDS: Readonly<Record<string, InBothLanguages>> = {
  saved: { en: 'Saved.', bn: 'সেভ হয়েছে।' },
  added: { en: 'Added.', bn: 'যোগ হয়েছে।' },
  removed: { en: 'Removed.', bn: 'সরানো হয়েছে।' },
  created: { en: 'Created.', bn: 'তৈরি হয়েছে।' },
  approved: { en: 'Approved: the payment is verified.', bn: 'অনুমোদিত: পেমেন্টটি যাচাই হয়েছে।' },
  rejected: { en: 'Rejected: the payment is cancelled.', bn: 'প্রত্যাখ্যাত: পেমেন্টটি বাতিল।' },
  cancelled: { en: 'The payment is cancelled.', bn: 'পেমেন্টটি বাতিল হয়েছে।' },
  matched: { en: 'Matched: the payment is verified.', bn: 'মেলানো হয়েছে: পেমেন্টটি যাচাই হয়েছে।' },
  review: {
    en: 'Matched, but something is off: look at it in the review.',
    bn: 'মেলানো হয়েছে, তবে কিছু অমিল আছে: যাচাইয়ে দেখুন।',
  },
  waiting: {
    en: 'The receipt was taken; no payment waits for it.',
    bn: 'রসিদ রাখা হয়েছে; এর জন্য কোনো পেমেন্ট অপেক্ষায় নেই।',
  },
  duplicate: { en: 'This receipt has come before; nothing changed.', bn: 'এই রসিদ আগেই এসেছে; কিছু বদলায়নি।' },
  sent: { en: 'It is being sent again.', bn: 'আবার পাঠানো হচ্ছে।' },
  archived: { en: 'The store is archived.', bn: 'দোকানটি আর্কাইভ হয়েছে।' },
  ended: { en: 'Ended.', bn: 'শেষ করা হয়েছে।' },
  password: {
    en: 'The password is changed. Other sessions have ended.',
    bn: 'পাসওয়ার্ড বদলেছে। অন্য সব সেশন শেষ হয়েছে।',
  },
  signed_out: { en: 'You are signed out.', bn: 'আপনি সাইন আউট করেছেন।' },
  voided: {
    en: 'The receipt is void: it pays nothing any more.',
    bn: 'রসিদটি বাতিল: এটি আর কিছু শোধ করবে না।',
  },
  restored: { en: 'The receipt counts again.', bn: 'রসিদটি আবার গণ্য হবে।' },
  resumed: { en: 'Webhooks are sent again.', bn: 'ওয়েবহুক আবার পাঠানো হচ্ছে।' },
  replaying: {
    en: 'The range is being sent again, in its order.',
    bn: 'নির্বাচিত অংশটি ক্রমানুসারে আবার পাঠানো হচ্ছে।',
  },
  refunded: { en: 'The refund is recorded.', bn: 'ফেরত লেখা হয়েছে।' },
};

/** Refusals in the reader's words; others are said as the API says them. */
const REFUSALS: Readonly<Record<string, InBothLanguages>> = {
  'request.invalid': {
    en: 'Something is not right yet. Look at the field that is marked.',
    bn: 'কিছু ঠিক নেই। চিহ্নিত ঘরটি দেখুন।',
  },
  'auth.invalid_credentials': {
    en: 'The e-mail address or the password is wrong.',
    bn: 'ই-মেইল বা পাসওয়ার্ড ভুল।',
  },
  'auth.second_factor_required': {
    en: 'This account has a second factor: type your password and the code of your app, too.',
    bn: 'এই অ্যাকাউন্টে দ্বিতীয় ধাপ আছে: পাসওয়ার্ডের সঙ্গে অ্যাপের কোডও লিখুন।',
  },
  'auth.invalid_second_factor': {
    en: 'The code is wrong, or was used before. Wait for the next one.',
    bn: 'কোডটি ভুল, অথবা আগে ব্যবহার হয়েছে। পরের কোডের জন্য অপেক্ষা করুন।',
  },
  'auth.second_factor_exists': {
    en: 'There is a second factor already.',
    bn: 'দ্বিতীয় ধাপ আগে থেকেই চালু আছে।',
  },
  'auth.second_factor_not_started': {
    en: 'There is no second factor to confirm or remove. Begin anew.',
    bn: 'নিশ্চিত করার বা সরানোর মতো দ্বিতীয় ধাপ নেই। নতুন করে শুরু করুন।',
  },
  'auth.busy': {
    en: 'Many people are signing in at this moment. Try again in a few seconds.',
    bn: 'এই মুহূর্তে অনেকে সাইন ইন করছেন। কয়েক সেকেন্ড পরে আবার চেষ্টা করুন।',
  },
  'auth.too_many_attempts': {
    en: 'Too many attempts. Try again later.',
    bn: 'অনেকবার চেষ্টা হয়েছে। পরে আবার চেষ্টা করুন।',
  },
  'auth.role_required': {
    en: 'Your role in this store does not allow this.',
    bn: 'এই দোকানে আপনার ভূমিকায় এটি করা যায় না।',
  },
  'payment.verified': { en: 'The payment is verified already.', bn: 'পেমেন্টটি আগেই যাচাই হয়েছে।' },
  'payment.cancelled': { en: 'The payment is cancelled.', bn: 'পেমেন্টটি বাতিল।' },
  'payment.expired': { en: 'The time for this payment is over.', bn: 'পেমেন্টের সময় শেষ।' },
  'payment.trx_id_used': {
    en: 'This TrxID has been used for another payment.',
    bn: 'এই TrxID অন্য পেমেন্টে ব্যবহার হয়েছে।',
  },
  'payment.changed': {
    en: 'The payment has changed since this page was opened. Look at it again, then decide.',
    bn: 'পাতাটি খোলার পর পেমেন্টটি বদলেছে। আবার দেখে সিদ্ধান্ত নিন।',
  },
  'payment.receipt_required': {
    en: 'Choose the receipt that belongs to it.',
    bn: 'কোন রসিদটি এর, বেছে দিন।',
  },
  'receipt.already_matched': {
    en: 'This receipt belongs to a payment already.',
    bn: 'রসিদটি আগেই একটি পেমেন্টের।',
  },
  'simulate.disabled': {
    en: 'Simulation is switched off for this store.',
    bn: 'এই দোকানে পরীক্ষামূলক রসিদ বন্ধ।',
  },
  'member.not_found': {
    en: 'Nobody here has this e-mail address. An admin creates accounts.',
    bn: 'এই ই-মেইলে এখানে কেউ নেই। অ্যাকাউন্ট তৈরি করেন অ্যাডমিন।',
  },
  'member.exists': { en: 'This user is a member already.', bn: 'তিনি আগে থেকেই সদস্য।' },
  'member.is_owner': { en: 'This user owns the store.', bn: 'তিনি এই দোকানের মালিক।' },
  'receipt.claimed': { en: 'A payment holds this receipt.', bn: 'একটি পেমেন্ট রসিদটি ধরে রেখেছে।' },
  'receipt.void': { en: 'This receipt is void.', bn: 'রসিদটি বাতিল।' },
  'receipt.not_void': { en: 'This receipt is not void.', bn: 'রসিদটি বাতিল নয়।' },
  'store.archived': {
    en: 'The store is archived: it can be read, not changed.',
    bn: 'দোকানটি আর্কাইভ করা: পড়া যায়, বদলানো যায় না।',
  },
  'store.wallet_in_use': {
    en: 'This wallet stands in another store of yours already.',
    bn: 'এই ওয়ালেট আপনার অন্য দোকানে আছে।',
  },
  'user.email_taken': {
    en: 'There is already a person with this e-mail address.',
    bn: 'এই ই-মেইলে আগেই একজন আছেন।',
  },
  'user.last_admin': {
    en: 'This is the last active admin, and has to stay one.',
    bn: 'ইনিই শেষ অ্যাডমিন, তাই থাকতেই হবে।',
  },
  'webhook.url_missing': { en: 'Give the webhook address first.', bn: 'আগে ওয়েবহুকের ঠিকানা দিন।' },
};

export function refusalText(
  failure: { readonly code: string; readonly message: string },
  language: Language,
): string {
  const words = Object.hasOwn(REFUSALS, failure.code) ? REFUSALS[failure.code] : undefined;
  if (words !== undefined) return words[language];
  return language === 'en' ? failure.message : `${WORDS.refused.bn}: ${failure.message}`;
}
