import { type ReceiptChecks } from '../../../stores/index.js';
import { type InBothLanguages } from '../../kit/page-definition.js';

export const NAME = { en: 'Settings', bn: 'সেটিংস' };
export const TEXT = {
  simulation: { en: 'Receipts may be simulated', bn: 'পরীক্ষামূলক রসিদ চালু' },
  simulationHint: {
    en: 'For trying things out. What a simulated receipt verifies is marked so.',
    bn: 'পরীক্ষার জন্য। পরীক্ষামূলক রসিদে যা যাচাই হয় তা চিহ্নিত থাকে।',
  },
  checks: { en: 'Receipt checks', bn: 'রসিদ পরীক্ষা' },
  checksHint: {
    en: 'Whether the balances in the messages are compared, so that a made-up message is noticed.',
    bn: 'বার্তার ব্যালান্স মিলিয়ে দেখা হবে কি না, যাতে বানানো বার্তা ধরা পড়ে।',
  },
  lead: { en: 'Receipts may be older than the payment by', bn: 'পেমেন্টের চেয়ে রসিদ যত পুরোনো হতে পারে' },
  leadHint: {
    en: 'Like 1h or 10m. A shop with a counter on the same wallet sets 10m.',
    bn: 'যেমন 1h বা 10m। একই ওয়ালেটে কাউন্টার থাকলে 10m দিন।',
  },
  unique: { en: 'Unique amounts', bn: 'আলাদা আলাদা পরিমাণ' },
  uniqueHint: {
    en: 'Adds 0.01 to 0.99 to each payment, so that no two open ones have the same amount. For busy shops with Bangla QR.',
    bn: 'প্রতিটি পেমেন্টে ০.০১ থেকে ০.৯৯ যোগ হয়, যাতে দুটির পরিমাণ এক না হয়। বাংলা QR-এ ব্যস্ত দোকানের জন্য।',
  },
  notify: { en: 'E-mail for news', bn: 'খবরের ই-মেইল' },
  notifyHint: {
    en: 'Where mail about payments goes, if this service sends any.',
    bn: 'পেমেন্টের খবর যে ই-মেইলে যাবে, যদি এই সার্ভিস পাঠায়।',
  },
  archive: { en: 'Archive store', bn: 'দোকান আর্কাইভ করুন' },
  archiveLead: {
    en: 'Nothing is erased and everything can still be read, but its keys stop working and its payment pages end.',
    bn: 'কিছু মুছবে না, সব পড়া যাবে; কিন্তু তার কী-গুলো অচল হবে ও পেমেন্টের পাতা বন্ধ হবে।',
  },
  archiveSure: {
    en: 'The store is archived for good: its API key and secrets stop working at once. This cannot be undone.',
    bn: 'দোকানটি চিরদিনের জন্য আর্কাইভ হবে: এর API কী ও সিক্রেট এখনই অচল হবে। এটি ফেরানো যায় না।',
  },
  archived: { en: 'Archived', bn: 'আর্কাইভ' },
};

export const CHECK_WORDS: Readonly<Record<ReceiptChecks, InBothLanguages>> = {
  off: { en: 'Off', bn: 'বন্ধ' },
  flag: { en: 'Note what is odd', bn: 'অমিল লিখে রাখুন' },
  review: { en: 'Ask me about what is odd', bn: 'অমিল হলে আমাকে জিজ্ঞেস করুন' },
};
