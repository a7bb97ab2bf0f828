import type { Language, SameWords } from '../../platform/web/language.js';
import { payerWordsOf } from '../../platform/web/payer/payer-words.js';
import type { ClosedReason } from '../payment-link.js';

/*
 * Every sentence of a link's pages in both languages. Amounts in Bangla sentences are written with Bangla digits.
 */

const BANGLA = {
  ...payerWordsOf('bn'),
  skipToContent: 'মূল অংশে যান',
  amountToPay: 'দিতে হবে',
  amountLabel: 'কত টাকা দেবেন',
  amountBetween: '{min} থেকে {max} পর্যন্ত',
  amountFrom: 'কমপক্ষে {min}',
  amountTo: 'সর্বোচ্চ {max}',
  note: 'বিবরণ',
  products: 'পণ্য ({count}টি)',
  unnamedProduct: 'নামহীন পণ্য',
  nameLabel: 'আপনার নাম',
  phoneLabel: 'আপনার ফোন নম্বর',
  submit: 'পেমেন্ট করতে এগিয়ে যান',
  next: 'পরের পাতায় ওয়ালেট বেছে নেবেন। এখনই কোনো টাকা কাটা হবে না।',
  problems: {
    'amount.missing': 'কত টাকা দেবেন তা লিখুন।',
    'amount.unreadable': 'টাকার পরিমাণটি পড়া যাচ্ছে না। শুধু সংখ্যা লিখুন, যেমন 500 বা 500.50।',
    'amount.range': 'এই পরিমাণ নেওয়া যাবে না। {range} লিখুন।',
    'name.missing': 'আপনার নাম লিখুন।',
    'name.long': 'নামটি খুব বড়। ২০০ অক্ষরের মধ্যে লিখুন।',
    'phone.missing': 'আপনার ফোন নম্বর লিখুন।',
    'phone.unreadable': 'এটি ফোন নম্বরের মতো নয়। যেমন লিখুন: 01700000002।',
  },
  checkFields: 'কিছু তথ্য ঠিক করতে হবে। নিচে দেখুন।',
  closedTitle: {
    off: 'এই লিংক এখন বন্ধ আছে',
    expired: 'এই লিংকের সময় শেষ হয়ে গেছে',
    used_up: 'এই লিংকের সব পেমেন্ট নেওয়া হয়ে গেছে',
    shop_closed: 'এই দোকান এখন পেমেন্ট নিচ্ছে না',
  } satisfies Record<ClosedReason, string>,
  closedNext: 'টাকা পাঠাবেন না। দরকার হলে দোকানের সঙ্গে যোগাযোগ করুন। আগে শুরু করা পেমেন্টের লিংক আগের মতোই চলবে।',
  notFoundTitle: 'এই পেমেন্ট লিংকটি চেনা যাচ্ছে না',
  notFoundLead: 'হয়তো লিংকটি পুরো কপি হয়নি, অথবা এতে কোনো ভুল আছে।',
  notFoundNext: 'দোকানের পাঠানো লিংকটি আবার খুলুন, অথবা নতুন লিংক চেয়ে নিন। তার আগে টাকা পাঠাবেন না।',
  tooManyTitle: 'আগে শুরু করা পেমেন্টগুলো শেষ করুন',
  tooManyLead: 'এই লিংক দিয়ে আপনার এখান থেকে কয়েকটি পেমেন্ট শুরু হয়েছে, কিন্তু শেষ হয়নি।',
  tooManyNext:
    'আগের পেমেন্টের পাতাটি খুলে শেষ করুন, অথবা কিছুক্ষণ পরে আবার চেষ্টা করুন। টাকা পাঠিয়ে থাকলে আবার পাঠাবেন না।',
  unavailableLead: 'আমাদের দিকে একটি সমস্যা হয়েছে। আপনার টাকা নিরাপদ আছে।',
  unavailableNext: 'একটু পরে লিংকটি আবার খুলুন।',
  poster: {
    title: 'পোস্টার',
    scan: 'স্ক্যান করে টাকা দিন',
    qrLabel: '{name}-এর পেমেন্ট লিংক',
    steps: [
      'ফোনের ক্যামেরা দিয়ে কোডটি স্ক্যান করুন',
      'নিজের ওয়ালেট বেছে টাকা পাঠান',
      'মেসেজের TrxID লিখে নিশ্চিত করুন',
    ],
    typeIt: 'অথবা ব্রাউজারে লিখুন',
  },
  share: {
    fixed: '{shop}: {title}। মূল্য {amount}। এই লিংকে টাকা দিন: {url}',
    free: '{shop}: {title}। এই লিংকে টাকা দিন: {url}',
  },
};

export type LinkWords = SameWords<typeof BANGLA>;

/** The problems of a form's input. */
export type LinkProblem = keyof LinkWords['problems'];

const ENGLISH: LinkWords = {
  ...payerWordsOf('en'),
  skipToContent: 'Skip to content',
  amountToPay: 'To pay',
  amountLabel: 'Amount',
  amountBetween: '{min} to {max}',
  amountFrom: '{min} or more',
  amountTo: '{max} at most',
  note: 'Details',
  products: 'Products ({count})',
  unnamedProduct: 'Unnamed product',
  nameLabel: 'Your name',
  phoneLabel: 'Your phone number',
  submit: 'Go on to pay',
  next: 'You choose the wallet on the next page. No money is taken yet.',
  problems: {
    'amount.missing': 'Type how much you pay.',
    'amount.unreadable': 'The amount cannot be read. Type digits only, such as 500 or 500.50.',
    'amount.range': 'This amount cannot be taken. Type {range}.',
    'name.missing': 'Type your name.',
    'name.long': 'The name is too long; 200 characters are the most.',
    'phone.missing': 'Type your phone number.',
    'phone.unreadable': 'This does not look like a phone number. Type one such as 01700000002.',
  },
  checkFields: 'Something needs a correction; see below.',
  closedTitle: {
    off: 'This link is switched off',
    expired: 'The time of this link is over',
    used_up: 'This link has taken all its payments',
    shop_closed: 'This shop takes no payments now',
  },
  closedNext:
    'Do not send money. If you need something, contact the shop. Payments that were started before go on under their own links.',
  notFoundTitle: 'This payment link is unknown',
  notFoundLead: 'Perhaps it was not copied to its end, or there is a mistake in it.',
  notFoundNext:
    'Open the link the shop sent you once more, or ask the shop for a new one. Do not send money before that.',
  tooManyTitle: 'Finish the payments you have started',
  tooManyLead: 'Several payments of this link have been started from where you are, and are not finished.',
  tooManyNext:
    'Open the page of one of them and finish it, or try again in a while. If you have sent money, do not send it again.',
  unavailableLead: 'We have a problem on our side. Your money is safe.',
  unavailableNext: 'Open this link again in a moment.',
  poster: {
    title: 'Poster',
    scan: 'Scan to pay',
    qrLabel: 'Payment link of {name}',
    steps: [
      'Scan the code with your phone’s camera',
      'Choose your wallet and send the money',
      'Type the TrxID of the message to confirm',
    ],
    typeIt: 'Or type in a browser',
  },
  share: {
    fixed: '{shop}: {title}. Price {amount}. Pay here: {url}',
    free: '{shop}: {title}. Pay here: {url}',
  },
};

const WORDS: Readonly<Record<Language, LinkWords>> = { bn: BANGLA, en: ENGLISH };

export function linkWordsOf(language: Language): LinkWords {
  return WORDS[language];
}
