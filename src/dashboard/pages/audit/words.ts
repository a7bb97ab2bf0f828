export const NAME = { en: 'Audit log', bn: 'অডিট লগ' };
export const SECURITY_NAME = { en: 'Security log', bn: 'নিরাপত্তা লগ' };
export const TEXT = {
  empty: { en: 'Nothing was done yet.', bn: 'এখনো কিছু করা হয়নি।' },
  notFound: { en: 'Nothing fits this.', bn: 'এর সঙ্গে মেলে এমন কিছু নেই।' },
  notYetFound: {
    en: 'Nothing fits among the lines of this page. Older ones are on the next one.',
    bn: 'এই পাতার লাইনগুলোর মধ্যে মেলে এমন কিছু নেই। পুরোনোগুলো পরের পাতায়।',
  },
  service: { en: 'The service', bn: 'সার্ভিস' },
  apiKey: { en: 'The API key', bn: 'API কী' },
  details: { en: 'Details', bn: 'বিস্তারিত' },
  action: { en: 'Action', bn: 'কাজ' },
  actionHint: { en: 'Whole or its beginning: payment.', bn: 'পুরোটা বা শুরুটা: payment.' },
  user: { en: 'Person', bn: 'ব্যক্তি' },
  userHint: { en: 'E-mail or a part of it, or an id', bn: 'ই-মেইল বা তার অংশ, অথবা আইডি' },
  holds: {
    en: 'The chain holds: each of the {checked} newest of {entries} lines follows the one before it, as it was written.',
    bn: 'শিকল অটুট: {entries}টি লাইনের সবচেয়ে নতুন {checked}টির প্রতিটি আগেরটির পরে ঠিক যেমন লেখা হয়েছিল তেমনই আছে।',
  },
  broken: {
    en: 'The chain is broken at line {position}: it was changed, or taken away, behind the service’s back.',
    bn: '{position} নম্বর লাইনে শিকল ভাঙা: সার্ভিসের আড়ালে এটি বদলানো বা সরানো হয়েছে।',
  },
  last: { en: 'Hash of the last line', bn: 'শেষ লাইনের হ্যাশ' },
  checkAll: { en: 'Check the whole chain', bn: 'পুরো শিকল পরীক্ষা করুন' },
};
