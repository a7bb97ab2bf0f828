import type { PaymentStatus, ReviewReason } from '../../payments/index.js';
import type { Language, SameWords } from '../../platform/web/language.js';
import { payerWordsOf } from '../../platform/web/payer/payer-words.js';
import type { PayerEntry } from '../../wallets/index.js';

/*
 * Every sentence of the checkout page in both languages. `{slots}` are filled by the page. Amounts, times and counts
 * in Bangla sentences are written with Bangla digits; phone numbers, codes to dial and TrxIDs never are.
 */

export type ReviewWord = ReviewReason | 'other';

const BANGLA = {
  ...payerWordsOf('bn'),
  languageName: 'বাংলা',
  skipToContent: 'মূল অংশে যান',
  titles: {
    pending: 'পেমেন্ট',
    submitted: 'যাচাই হচ্ছে',
    verified: '✓ টাকা জমা হয়েছে',
    review: 'দোকান যাচাই করছে',
    expired: 'সময় শেষ',
    cancelled: 'পেমেন্ট বাতিল',
  } satisfies Record<PaymentStatus, string>,
  amountToPay: 'দিতে হবে',
  oddAmount:
    'পয়সাসহ ঠিক {pay} পাঠান। দাম {price}; বাড়তি {more} দেখে বোঝা যায় কোন টাকাটি আপনার, তাই অন্য কারও সঙ্গে গুলিয়ে যায় না।',
  amount: 'পরিমাণ',
  refunded: 'ফেরত দেওয়া হয়েছে',
  copy: 'কপি',
  copyAmount: 'পরিমাণ কপি করুন',
  copyNumber: 'নম্বর কপি করুন',
  copyPaymentNumber: 'পেমেন্ট নম্বর কপি করুন',
  note: 'নোট',
  products: 'অর্ডারে যা আছে ({count})',
  unnamedProduct: 'পণ্য',
  timeLeft: 'সময় বাকি',
  payBefore: 'এর আগে টাকা পাঠান:',
  chooseWallet: 'কীভাবে টাকা পাঠাবেন?',
  payWith: '{wallet} দিয়ে টাকা পাঠান',
  chooseWalletPaid: 'কোন ওয়ালেটে পাঠিয়েছেন?',
  noWallets: 'দোকানটি এখনো টাকা নেওয়ার কোনো উপায় দেয়নি। টাকা পাঠানোর আগে দোকানে যোগাযোগ করুন।',
  dial: '{ussd} ডায়াল করুন',
  qrLabel: '{name}-এর কিউআর কোড, {amount} দেওয়ার জন্য',
  qrAlternative: 'অথবা {wallet} অ্যাপ দিয়ে এই কোড স্ক্যান করুন',
  qrMissing: 'দোকানটি এখনো কিউআর কোড দেয়নি। অন্য উপায় বেছে নিন, অথবা দোকানে যোগাযোগ করুন।',
  saveQr: 'কোডের ছবি সেভ করুন',
  trxIdLabel: 'ট্রানজ্যাকশন আইডি (TrxID) লিখুন',
  trxIdHint: 'টাকা পাঠানোর পর যে বার্তা পাবেন, তাতে আছে। {wallet}: {shape}, যেমন {example}।',
  trxIdHintUnknown: 'টাকা পাঠানোর পর যে বার্তা পাবেন, তাতে আছে।',
  lastFourLabel: 'যে নম্বর বা কার্ড থেকে দিয়েছেন তার শেষ চারটি সংখ্যা',
  lastFourHint: 'টাকা দেওয়ার পরপরই লিখুন। শূন্যও লিখুন, যেমন 0427।',
  paste: 'পেস্ট',
  submit: 'পেমেন্ট যাচাই করুন',
  neverPin: 'এখানে কখনো পিন বা ওটিপি লিখবেন না। দোকান বা আমরা কেউই তা চাই না।',
  helpTrxIdTitle: 'TrxID কোথায় পাব?',
  helpTrxIdMessage: 'টাকা পাঠানোর পর {wallet} থেকে যে এসএমএস আসে, তার শেষের দিকে থাকে:',
  helpTrxIdApp: 'এসএমএস না পেলে ওয়ালেটের অ্যাপে লেনদেনের তালিকা খুলে এই লেনদেনটি দেখুন।',
  helpTrxIdWholeMessage: 'পুরো এসএমএস কপি করে পেস্ট করলেও চলবে, আমরা TrxID খুঁজে নেব।',
  helpLastFourTitle: 'কোন চারটি সংখ্যা?',
  helpLastFour:
    'বিকাশ, নগদ বা অন্য ওয়ালেট থেকে দিলে আপনার মোবাইল নম্বরের শেষ চারটি; কার্ড থেকে দিলে কার্ড নম্বরের শেষ চারটি; ব্যাংক অ্যাপ থেকে দিলে অ্যাকাউন্ট নম্বরের শেষ চারটি।',
  submittedHeading: 'ওয়ালেটের বার্তার অপেক্ষায় আছি',
  submittedLead: 'আপনার তথ্য পেয়েছি। সাধারণত এক মিনিটও লাগে না।',
  submittedLeadQuiet: 'আপনার তথ্য পেয়েছি। দোকানের ফোন থেকে কিছুক্ষণ কোনো খবর আসেনি, তাই কয়েক মিনিট লাগতে পারে।',
  submittedKeep: 'পাতাটি খোলা রাখুন, অথবা পরে এই লিংকে ফিরে আসুন: লিংকটি চালু থাকবে।',
  // For a page that the script does not change by itself.
  submittedKeepPlain:
    'পাতাটি এখানে নিজে থেকে বদলাবে না। দেখতে নিচের বোতামটি চাপুন, অথবা পরে এই লিংকে ফিরে আসুন: লিংকটি চালু থাকবে।',
  checkNow: 'এখন আবার দেখুন',
  sendAnother: 'ভুল লিখেছেন, বা টাকা পাঠানো বাকি?',
  longTitle: 'এক মিনিটের বেশি লাগছে?',
  longCheckEntry: 'যা লিখেছেন তা বার্তার সঙ্গে মিলিয়ে দেখুন। ভুল হলে নিচে আবার লিখুন।',
  longReceiver: 'ওয়ালেটের বার্তা কখনো কখনো দেরিতে আসে। আপনার টাকা হারায়নি; আবার পাঠাবেন না।',
  longContact: 'তাড়া থাকলে ওয়ালেটের বার্তা ও নিচের পেমেন্ট নম্বর নিয়ে দোকানে যোগাযোগ করুন।',
  limitedTitle: 'আর লেখা যাবে না',
  limitedHeading: 'এই পেমেন্টে আর চেষ্টার সুযোগ নেই',
  limitedLead: 'সবশেষে যা লিখেছেন তা এখনো গণ্য হবে। কিছুই হারায়নি।',
  limitedLeadUnpaid: 'টাকা পাঠিয়ে থাকলে তা হারায়নি। আবার পাঠাবেন না।',
  limitedWhy: {
    trxId: 'অনেকগুলো আলাদা TrxID লেখা হয়েছে, তাই এই পেমেন্টে আর নতুন TrxID নেওয়া যাবে না।',
    last4digit: 'অনেকবার আলাদা চারটি সংখ্যা লেখা হয়েছে, তাই এই পেমেন্টে আর নতুন সংখ্যা নেওয়া যাবে না।',
  } satisfies Record<PayerEntry, string>,
  limitedKeep:
    'ওয়ালেটের বার্তা এলেই এখানে দেখা যাবে। পাতাটি খোলা রাখুন, অথবা পরে এই লিংকে ফিরে আসুন: লিংকটি চালু থাকবে।',
  limitedNext:
    'ভুল লিখে থাকলে ওয়ালেটের বার্তা ও নিচের পেমেন্ট নম্বর নিয়ে দোকানে যোগাযোগ করুন: দোকান আপনার টাকা খুঁজে দেখতে পারে। আবার টাকা পাঠাবেন না।',
  limitedOther: 'অন্য উপায়ে পাঠিয়েছেন, বা টাকা পাঠানো বাকি?',
  byHandTitle: 'অনেকবার লেখা হয়েছে',
  byHandHeading: 'এখন যা লিখবেন, দোকান নিজে মিলিয়ে দেখবে',
  byHandWhy: {
    trxId:
      'অনেকগুলো আলাদা TrxID লেখা হয়েছে। সঠিক TrxID এখনো লিখতে পারেন: তা রাখা হবে, আর টাকা এসে থাকলে বা এলে দোকান নিজে মিলিয়ে দেখবে।',
    last4digit:
      'অনেকবার আলাদা চারটি সংখ্যা লেখা হয়েছে। সঠিক সংখ্যা এখনো লিখতে পারেন: তা রাখা হবে, আর টাকা এসে থাকলে বা এলে দোকান নিজে মিলিয়ে দেখবে।',
  } satisfies Record<PayerEntry, string>,
  byHandAgain: 'ভুল লিখেছেন, বা টাকা পাঠানো বাকি?',
  shapeDoubt: 'এটি {wallet}-এর TrxID বলে মনে হচ্ছে না: তাতে {shape} থাকে। একবার মিলিয়ে দেখুন।',
  lookAlikeDoubt:
    'অন্য কোনো অক্ষর লিখতে চেয়েছিলেন কি? O আর 0, কিংবা I, L আর 1 দেখতে একই রকম। ওয়ালেটের বার্তার সঙ্গে মিলিয়ে আবার লিখুন।',
  verifiedHeading: 'টাকা জমা হয়েছে। ধন্যবাদ।',
  receipt: 'রসিদ',
  shop: 'দোকান',
  wallet: 'ওয়ালেট',
  trxId: 'TrxID',
  lastFour: 'শেষ চারটি সংখ্যা',
  time: 'সময়',
  paymentNumber: 'পেমেন্ট নম্বর',
  printReceipt: 'রসিদ প্রিন্ট বা সেভ করুন',
  backToShop: 'দোকানে ফিরে যান',
  redirectIn: '{seconds} সেকেন্ড পরে আপনাকে দোকানের পাতায় ফিরিয়ে নেওয়া হবে।',
  stayHere: 'এখানেই থাকব',
  staying: 'এই পাতাতেই থাকছেন।',
  reviewHeading: 'দোকান আপনার পেমেন্ট যাচাই করছে',
  reviewLead: 'আবার টাকা পাঠাবেন না। কিছুই হারায়নি।',
  reviewReasons: {
    underpaid: '{amount}-এর চেয়ে কম টাকা এসেছে। বাকিটা কী হবে, দোকান আপনার সঙ্গে ঠিক করবে।',
    overpaid: '{amount}-এর চেয়ে বেশি টাকা এসেছে। বাড়তি টাকার বিষয়ে দোকান আপনার সঙ্গে ঠিক করবে।',
    currency_mismatch: 'টাকা এসেছে, তবে অন্য মুদ্রায়।',
    late: 'সময় শেষ হওয়ার পরে টাকা এসেছে। দোকান তা দেখছে এবং অর্ডারের বিষয়ে সিদ্ধান্ত নেবে।',
    old_money: 'টাকাটি এই অর্ডারের অনেক আগে এসেছিল, তাই দোকান দেখছে এটি কোন অর্ডারের।',
    ambiguous: 'আপনার লেখা তথ্যের সঙ্গে একাধিক পেমেন্ট মিলেছে, তাই দোকান নিজে মিলিয়ে দেখছে।',
    wrong_wallet: 'টাকা এসেছে, তবে এই পেমেন্টের জন্য ঠিক করা ওয়ালেটে নয়।',
    trx_id_used: 'যা লিখেছেন তার টাকা অন্য একটি পেমেন্টে গেছে। ভুল লিখে থাকলে সঠিকটি নিচে লিখুন।',
    flagged: 'টাকার বার্তাটি দোকান একবার ভালো করে দেখে নিচ্ছে।',
    other: 'এই পেমেন্টের একটি বিষয় দোকান দেখে নিচ্ছে।',
  } satisfies Record<ReviewWord, string>,
  reviewNext:
    'এই লিংকটি রেখে দিন: দোকান সিদ্ধান্ত নিলে পাতাটি নিজে থেকেই বদলে যাবে। জরুরি হলে নিচের পেমেন্ট নম্বর নিয়ে দোকানে যোগাযোগ করুন।',
  reviewNextPlain:
    'এই লিংকটি রেখে দিন, পরে আবার খুলুন: দোকান সিদ্ধান্ত নিলে এখানে দেখা যাবে। জরুরি হলে নিচের পেমেন্ট নম্বর নিয়ে দোকানে যোগাযোগ করুন।',
  further: {
    title: 'আরও কিছু জানানোর আছে?',
    lead: 'দুই ভাগে টাকা পাঠিয়েছেন, ভুল লিখেছেন, নাকি অন্য কেউ এখানে লিখেছে? আপনার নিজের পেমেন্টের তথ্য লিখুন: আগের লেখা থাকবে, দোকান দুটোই একসঙ্গে দেখবে।',
  },
  // Shown where less has come than was asked.
  furtherRest: {
    title: 'বাকি টাকা পাঠিয়েছেন? নাকি এটি আপনার টাকা নয়?',
    lead: 'আপনার অন্য পেমেন্টের তথ্যও এখানে লিখুন: আগের লেখা থাকবে, দোকান দুটোই একসঙ্গে দেখবে।',
  },
  expiredHeading: 'এই পেমেন্টের সময় শেষ',
  expiredLead: 'এখন আর টাকা পাঠাবেন না।',
  expiredPaid: 'আগেই টাকা পাঠিয়েছেন?',
  expiredPaidLead: 'নিচে জানান। টাকা এসে থাকলে দোকান যাচাই করবে; কিছুই হারাবে না।',
  expiredNext: 'টাকা না পাঠিয়ে থাকলে দোকানের কাছ থেকে নতুন লিংক নিন।',
  expiredNextLink: 'টাকা না পাঠিয়ে থাকলে দোকানে ফিরে গিয়ে আবার শুরু করুন।',
  cancelledHeading: 'পেমেন্টটি বাতিল হয়েছে',
  cancelledLead: 'দোকান এই পেমেন্টটি বাতিল করেছে। এই লিংকে আর টাকা পাঠাবেন না।',
  cancelledPaid: 'আগেই টাকা পাঠিয়ে থাকলে TrxID ও নিচের পেমেন্ট নম্বর নিয়ে দোকানে যোগাযোগ করুন।',
  // For a state that this page does not know.
  unknownHeading: 'এই পেমেন্টের অবস্থা এখানে দেখানো যাচ্ছে না',
  unknownLead: 'এখন টাকা পাঠাবেন না। পেমেন্ট নম্বর নিয়ে দোকানে যোগাযোগ করুন।',
  notFoundTitle: 'এই পেমেন্ট লিংকটি পাওয়া যায়নি',
  notFoundLead: 'লিংকটি হয়তো পুরো কপি হয়নি, অথবা ভুল আছে।',
  notFoundNext: 'দোকান যে লিংক পাঠিয়েছে সেটি আবার খুলুন, অথবা নতুন লিংক চান। তার আগে টাকা পাঠাবেন না।',
  unavailableLead: 'আমাদের দিকে একটু সমস্যা হচ্ছে। আপনার টাকা ও তথ্য নিরাপদ আছে।',
  unavailableNext: 'একটু পরে এই লিংকটি আবার খুলুন। টাকা পাঠিয়ে থাকলে আবার পাঠাবেন না।',
  // By error codes, or the page's own names for what was typed.
  notices: {
    'payment.trx_id_used':
      'এই TrxID অন্য একটি পেমেন্টে ব্যবহার হয়েছে। এই পেমেন্টের বার্তার সঙ্গে মিলিয়ে আবার লিখুন।',
    'payment.expired':
      'এর সঙ্গে মেলে এমন কোনো টাকা এখনো আসেনি। লেখাটি রাখা আছে: টাকা এলে দোকান তা যাচাই করবে। ভুল লিখে থাকলে আবার লিখুন।',
    'payment.cancelled': 'দোকান এই পেমেন্টটি বাতিল করেছে। টাকা পাঠিয়ে থাকলে দোকানে যোগাযোগ করুন।',
    'payment.too_many_attempts':
      'লেখাটি রাখা আছে। অনেকবার লেখা হয়েছে বলে এটি আর নিজে থেকে যাচাই হবে না: টাকা এলে দোকান মিলিয়ে দেখবে, আর তা এখানেই দেখা যাবে। আবার টাকা পাঠাবেন না।',
    'request.invalid': 'যা লিখেছেন তা পড়া যায়নি। মিলিয়ে আবার লিখুন।',
    'trxId.invalid': 'এটি TrxID বলে মনে হচ্ছে না। ওয়ালেটের বার্তা থেকে দেখে লিখুন।',
    'trxId.phone': 'এটি মোবাইল নম্বর বলে মনে হচ্ছে। বার্তায় “TrxID” লেখার পরের অংশটি লিখুন।',
    'last4digit.invalid': 'ঠিক চারটি সংখ্যা লিখুন, যেমন 0427।',
    'entry.pin': 'এটি পিন হতে পারে। এখানে কখনো পিন লিখবেন না। বার্তা থেকে TrxID লিখুন।',
    busy: payerWordsOf('bn').busy,
    unavailable: 'এই মুহূর্তে যাচাই করা যাচ্ছে না। একটু পরে আবার চেষ্টা করুন; আবার টাকা পাঠাবেন না।',
    other: 'কাজটি হয়নি। মিলিয়ে আবার চেষ্টা করুন।',
  },
  // The browser script says these; the page hands them over together with notices and headings.
  script: {
    copied: 'কপি হয়েছে',
    copyFailed: 'কপি করা গেল না। চেপে ধরে কপি করুন।',
    pasteFailed: 'পেস্ট করা গেল না। ঘরটি চেপে ধরে পেস্ট করুন।',
    sending: 'যাচাই হচ্ছে…',
    offline: 'ইন্টারনেট নেই। সংযোগ ফিরলেই পাতাটি নিজে থেকে চলবে।',
    unreachable: 'সার্ভারের সঙ্গে যোগাযোগ হচ্ছে না। আমরা আবার চেষ্টা করছি।',
    keptOffline: 'ইন্টারনেট নেই। আপনি যা লিখেছেন তা রাখা আছে, সংযোগ ফিরলেই পাঠানো হবে।',
    keptUnreachable: 'সার্ভারের সঙ্গে যোগাযোগ হচ্ছে না। আপনি যা লিখেছেন তা রাখা আছে, আমরা আবার পাঠাচ্ছি।',
    online: 'সংযোগ ফিরে এসেছে।',
    fiveMinutesLeft: 'আর পাঁচ মিনিট বাকি।',
    oneMinuteLeft: 'আর এক মিনিট বাকি।',
    days: 'দিন',
    loading: 'পাতাটি বদলানো হচ্ছে…',
  },
};

export type CheckoutWords = SameWords<typeof BANGLA>;
export type NoticeWord = keyof CheckoutWords['notices'];
export type ScriptWords = CheckoutWords['script'];
export type Invitation = CheckoutWords['further'];

const ENGLISH: CheckoutWords = {
  ...payerWordsOf('en'),
  languageName: 'English',
  skipToContent: 'Skip to the content',
  titles: {
    pending: 'Payment',
    submitted: 'Checking',
    verified: '✓ Payment received',
    review: 'The shop is checking',
    expired: 'Time is over',
    cancelled: 'Payment cancelled',
  },
  amountToPay: 'Amount to pay',
  oddAmount:
    'Send exactly {pay}, to the last poisha. The price is {price}; the {more} on top tells your money from everybody else’s.',
  amount: 'Amount',
  refunded: 'Refunded',
  copy: 'Copy',
  copyAmount: 'Copy the amount',
  copyNumber: 'Copy the number',
  copyPaymentNumber: 'Copy the payment number',
  note: 'Note',
  products: 'What you are buying ({count})',
  unnamedProduct: 'Item',
  timeLeft: 'Time left',
  payBefore: 'Pay before:',
  chooseWallet: 'How do you want to pay?',
  payWith: 'Pay with {wallet}',
  chooseWalletPaid: 'Which wallet did you pay with?',
  noWallets: 'The shop has not said yet how it takes payments. Contact the shop before you send money.',
  dial: 'Dial {ussd}',
  qrLabel: 'QR code of {name}, for paying {amount}',
  qrAlternative: 'Or scan this code with the {wallet} app',
  qrMissing: 'The shop has not given its QR code yet. Choose another way, or contact the shop.',
  saveQr: 'Save the code as a picture',
  trxIdLabel: 'Type the transaction ID (TrxID)',
  trxIdHint: 'It is in the message you get after paying. {wallet}: {shape}, like {example}.',
  trxIdHintUnknown: 'It is in the message you get after paying.',
  lastFourLabel: 'Last four digits of the number or card you paid from',
  lastFourHint: 'Type them right after paying. Zeros count, as in 0427.',
  paste: 'Paste',
  submit: 'Check my payment',
  neverPin: 'Never type a PIN or a one-time code here. Neither the shop nor we ask for it.',
  helpTrxIdTitle: 'Where do I find the TrxID?',
  helpTrxIdMessage: 'After paying, {wallet} sends you a text message. It stands near its end:',
  helpTrxIdApp: 'No message? Open the list of transactions in the wallet’s app and look at this one.',
  helpTrxIdWholeMessage: 'You may also paste the whole message: we find the TrxID in it.',
  helpLastFourTitle: 'Which four digits?',
  helpLastFour:
    'Paid from bKash, Nagad or another wallet: the last four of your mobile number. From a card: the last four of the card number. From a bank app: the last four of the account number.',
  submittedHeading: 'Waiting for the wallet’s message',
  submittedLead: 'We have what you sent. It usually takes under a minute.',
  submittedLeadQuiet:
    'We have what you sent. Nothing has come from the shop’s phone for a while, so this can take some minutes.',
  submittedKeep: 'Keep this page open, or come back to this link later: it stays valid.',
  submittedKeepPlain:
    'This page does not change by itself here. Press the button below to look, or come back to this link later: it stays valid.',
  checkNow: 'Check again now',
  sendAnother: 'Mistyped, or not paid yet?',
  longTitle: 'Taking longer than a minute?',
  longCheckEntry: 'Compare what you typed with the message. If it is wrong, type it again below.',
  longReceiver: 'The wallet’s message is sometimes late. Your money is not lost; do not send it again.',
  longContact: 'In a hurry? Contact the shop with the wallet’s message and the payment number below.',
  limitedTitle: 'No tries left',
  limitedHeading: 'No tries are left for this payment',
  limitedLead: 'What you typed last still counts. Nothing is lost.',
  limitedLeadUnpaid: 'If you have paid, your money is not lost. Do not pay again.',
  limitedWhy: {
    trxId: 'Too many different TrxIDs have been typed, so this payment takes no new one.',
    last4digit: 'Too many different digits have been typed, so this payment takes no new ones.',
  },
  limitedKeep:
    'As soon as the wallet’s message comes, it shows here. Keep this page open, or come back to this link later: it stays valid.',
  limitedNext:
    'Mistyped? Contact the shop with the wallet’s message and the payment number below: the shop can look for your money. Do not pay again.',
  limitedOther: 'Paid another way, or not paid yet?',
  byHandTitle: 'Many tries',
  byHandHeading: 'What you type now is checked by the shop',
  byHandWhy: {
    trxId:
      'Many different TrxIDs have been typed. You can still type the right one: we keep it, and when its money is there, the shop checks it by hand.',
    last4digit:
      'Many different digits have been typed. You can still type the right ones: we keep them, and when their money is there, the shop checks it by hand.',
  },
  byHandAgain: 'Mistyped, or not paid yet?',
  shapeDoubt: 'This does not look like a TrxID of {wallet}: those have {shape}. Please compare it once more.',
  lookAlikeDoubt:
    'Did you mean another letter? O and 0 look alike, and so do I, L and 1. Compare it with the wallet’s message and type it again.',
  verifiedHeading: 'Payment received. Thank you.',
  receipt: 'Receipt',
  shop: 'Shop',
  wallet: 'Wallet',
  trxId: 'TrxID',
  lastFour: 'Last four digits',
  time: 'Time',
  paymentNumber: 'Payment number',
  printReceipt: 'Print or save the receipt',
  backToShop: 'Back to the shop',
  redirectIn: 'You will be taken back to the shop in {seconds} seconds.',
  stayHere: 'Stay here',
  staying: 'You stay on this page.',
  reviewHeading: 'The shop is checking your payment',
  reviewLead: 'You need not pay again. Nothing is lost.',
  reviewReasons: {
    underpaid: 'Less than {amount} has arrived. The shop will settle the rest with you.',
    overpaid: 'More than {amount} has arrived. The shop will settle the difference with you.',
    currency_mismatch: 'The money has arrived, but in another currency.',
    late: 'The money arrived after the time for this payment was over. The shop sees it and decides about the order.',
    old_money: 'The money arrived long before this order was made, so the shop is checking what it was for.',
    ambiguous: 'More than one payment fits what you typed, so the shop is matching them by hand.',
    wrong_wallet: 'The money has arrived, but in another wallet than this payment is for.',
    trx_id_used:
      'The money of what you typed has gone to another payment. If you mistyped it, type the right one below.',
    flagged: 'The shop is taking a closer look at the message about this money.',
    other: 'The shop is taking a closer look at this payment.',
  },
  reviewNext:
    'Keep this link: the page changes by itself when the shop has decided. If it is urgent, contact the shop with the payment number below.',
  reviewNextPlain:
    'Keep this link and open it again later: it shows what the shop has decided. If it is urgent, contact the shop with the payment number below.',
  further: {
    title: 'Anything else the shop should see?',
    lead: 'Paid in two parts, mistyped, or did somebody else type here? Type what your own payment says: what was typed before stays, and the shop sees both together.',
  },
  furtherRest: {
    title: 'Sent the rest, or was this not your money?',
    lead: 'Type what your other payment says here, too: what was typed before stays, and the shop sees both together.',
  },
  expiredHeading: 'The time for this payment is over',
  expiredLead: 'Do not send money now.',
  expiredPaid: 'I have already paid',
  expiredPaidLead: 'Tell us below. If the money has arrived, the shop checks it; nothing is lost.',
  expiredNext: 'Not paid yet? Ask the shop for a new link.',
  expiredNextLink: 'Not paid yet? Go back to the shop and start again.',
  cancelledHeading: 'This payment is cancelled',
  cancelledLead: 'The shop has cancelled this payment. Do not send money for it any more.',
  cancelledPaid: 'Already paid? Contact the shop with your TrxID and the payment number below.',
  unknownHeading: 'Where this payment stands cannot be shown here',
  unknownLead: 'Do not send money now. Contact the shop with the payment number below.',
  notFoundTitle: 'This payment link is unknown',
  notFoundLead: 'Perhaps it was not copied to its end, or there is a mistake in it.',
  notFoundNext:
    'Open the link the shop sent you once more, or ask the shop for a new one. Do not send money before that.',
  unavailableLead: 'We have a problem on our side. Your money and what you sent are safe.',
  unavailableNext: 'Open this link again in a moment. If you have paid, do not pay again.',
  notices: {
    'payment.trx_id_used':
      'This TrxID has been used for another payment. Compare it with the message of this payment and type it again.',
    'payment.expired':
      'No money that fits this has arrived yet. We keep what you typed: if the money comes, the shop checks it. Mistyped? Type it again.',
    'payment.cancelled': 'The shop has cancelled this payment. If you have paid, contact the shop.',
    'payment.too_many_attempts':
      'We keep what you typed. After so many tries it is not checked by itself any more: when its money is there, the shop checks it, and you see that here. Do not pay again.',
    'request.invalid': 'We cannot read what you typed. Compare it and type it again.',
    'trxId.invalid': 'This does not look like a TrxID. Copy it from the wallet’s message.',
    'trxId.phone': 'This looks like a phone number. Type what stands after “TrxID” in the message.',
    'last4digit.invalid': 'Type exactly four digits, as in 0427.',
    'entry.pin': 'This may be a PIN. Never type your PIN here. Type the TrxID from the message.',
    busy: payerWordsOf('en').busy,
    unavailable: 'We cannot check right now. Try again in a moment; do not pay again.',
    other: 'That did not work. Compare what you typed and try again.',
  },
  script: {
    copied: 'Copied',
    copyFailed: 'Could not copy. Press and hold to copy.',
    pasteFailed: 'Could not paste. Press and hold the field to paste.',
    sending: 'Checking…',
    offline: 'No internet. This page goes on by itself when you are connected again.',
    unreachable: 'We cannot reach the server. We keep trying.',
    keptOffline: 'No internet. What you typed is kept, and is sent when you are connected again.',
    keptUnreachable: 'We cannot reach the server. What you typed is kept; we are trying again.',
    online: 'Connected again.',
    fiveMinutesLeft: 'Five minutes left.',
    oneMinuteLeft: 'One minute left.',
    days: 'd',
    loading: 'Changing the page…',
  },
};

const WORDS: Readonly<Record<Language, CheckoutWords>> = { bn: BANGLA, en: ENGLISH };

export function wordsOf(language: Language): CheckoutWords {
  return WORDS[language];
}

/** The sentence for an error code; unknown codes get one that fits all. */
export function noticeText(code: string, words: CheckoutWords): string {
  return isNoticeWord(code, words) ? words.notices[code] : words.notices.other;
}

function isNoticeWord(code: string, words: CheckoutWords): code is NoticeWord {
  return Object.hasOwn(words.notices, code);
}
