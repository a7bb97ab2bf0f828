export const NAME = { en: 'Second factor', bn: 'দ্বিতীয় ধাপ' };
export const TEXT = {
  current: { en: 'Current password', bn: 'বর্তমান পাসওয়ার্ড' },
  removedByAdmin: {
    en: 'An admin removed your second factor on {date}.',
    bn: 'একজন অ্যাডমিন {date} তারিখে আপনার দ্বিতীয় ধাপ সরিয়েছেন।',
  },
  dismiss: { en: 'I have read this', bn: 'পড়েছি' },
  lead: {
    en: 'An app on your phone shows a code; signing in then asks for it beside the password.',
    bn: 'ফোনের একটি অ্যাপ কোড দেখায়; সাইন ইনে তখন পাসওয়ার্ডের সঙ্গে সেটিও লাগে।',
  },
  on: { en: 'On', bn: 'চালু' },
  setUp: { en: 'Set up a second factor', bn: 'দ্বিতীয় ধাপ চালু করুন' },
  scan: {
    en: 'Scan this with your authenticator app, or type the key into it.',
    bn: 'অথেনটিকেটর অ্যাপ দিয়ে এটি স্ক্যান করুন, অথবা কী-টি লিখুন।',
  },
  qr: { en: 'Picture to scan with the app', bn: 'অ্যাপ দিয়ে স্ক্যান করার ছবি' },
  key: { en: 'Key', bn: 'কী' },
  codeHint: { en: 'The six digits that the app shows now.', bn: 'অ্যাপ এখন যে ছয় সংখ্যা দেখায়।' },
  again: { en: 'Begin with a new key', bn: 'নতুন কী দিয়ে শুরু করুন' },
  done: { en: 'The second factor is on.', bn: 'দ্বিতীয় ধাপ চালু হয়েছে।' },
  recovery: { en: 'Recovery codes', bn: 'রিকভারি কোড' },
  recoveryLead: {
    en: 'For the day the phone is lost: each opens once in place of a code. They are shown only now; keep them on paper or with your passwords.',
    bn: 'ফোন হারালে: প্রতিটি একবার কোডের বদলে কাজ করে। শুধু এখনই দেখানো হচ্ছে; কাগজে বা পাসওয়ার্ডের সঙ্গে রাখুন।',
  },
  kept: { en: 'I have kept them', bn: 'রেখে দিয়েছি' },
  remove: { en: 'Remove the second factor', bn: 'দ্বিতীয় ধাপ সরান' },
  removeHint: {
    en: 'A code of your app, or a recovery code.',
    bn: 'অ্যাপের কোড, অথবা একটি রিকভারি কোড।',
  },
};
