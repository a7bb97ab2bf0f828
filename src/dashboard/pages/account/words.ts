export const NAME = { en: 'Account', bn: 'অ্যাকাউন্ট' };
export const TEXT = {
  current: { en: 'Current password', bn: 'বর্তমান পাসওয়ার্ড' },
  next: { en: 'New password', bn: 'নতুন পাসওয়ার্ড' },
  nextHint: {
    en: 'At least 10 characters. Every other session ends.',
    bn: 'অন্তত ১০ অক্ষর। অন্য সব সেশন শেষ হবে।',
  },
  password: { en: 'Password', bn: 'পাসওয়ার্ড' },
  sessions: { en: 'Open sessions', bn: 'খোলা সেশন' },
  thisOne: { en: 'This one', bn: 'এটিই' },
  end: { en: 'End', bn: 'শেষ করুন' },
  unknown: { en: 'An app', bn: 'একটি অ্যাপ' },
  mustChange: {
    en: 'Choose a password of your own first; then the rest opens.',
    bn: 'আগে নিজের একটি পাসওয়ার্ড দিন; তারপর বাকি সব খুলবে।',
  },
  mustSecure: {
    en: 'Admins need a second factor here. Set it up; then the rest opens.',
    bn: 'এখানে অ্যাডমিনদের দ্বিতীয় ধাপ লাগে। চালু করুন; তারপর বাকি সব খুলবে।',
  },
  bySso: {
    en: 'You sign in with your company: your password and second factor are there.',
    bn: 'আপনি প্রতিষ্ঠানের অ্যাকাউন্ট দিয়ে সাইন ইন করেন: পাসওয়ার্ড ও দ্বিতীয় ধাপ সেখানেই।',
  },
  change: { en: 'Save', bn: 'সেভ করুন' },
};
