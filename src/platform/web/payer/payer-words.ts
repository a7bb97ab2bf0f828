import type { Language, SameWords } from '../language.js';

/* The sentences that all pages for payers say. */

const BANGLA = {
  otherLanguageName: 'English',
  quantityTimes: '{quantity} × {price}',
  operatedBy: 'চেকআউট: {name}',
  unavailableTitle: 'পাতাটি এখন দেখানো যাচ্ছে না',
  busy: 'আপনার নেটওয়ার্ক থেকে অনেক অনুরোধ আসছে। একটু পরে আবার চেষ্টা করুন।',
};

const ENGLISH: SameWords<typeof BANGLA> = {
  otherLanguageName: 'বাংলা',
  quantityTimes: '{quantity} × {price}',
  operatedBy: 'Checkout: {name}',
  unavailableTitle: 'This page cannot be shown right now',
  busy: 'Many requests are coming from your network. Try again in a moment.',
};

export type PayerWords = SameWords<typeof BANGLA>;

export function payerWordsOf(language: Language): PayerWords {
  return language === 'bn' ? BANGLA : ENGLISH;
}
