export const NAME = { en: 'Health', bn: 'সার্বিক অবস্থা' };
export const TEXT = {
  fine: {
    en: 'No phone is silent, no webhook address fails, no guess protection is active.',
    bn: 'কোনো ফোন চুপ নেই, কোনো ওয়েবহুক ব্যর্থ হচ্ছে না, অনুমান ঠেকানোর কোনো বাধা চালু নেই।',
  },
  silent: { en: 'Silent phones', bn: 'চুপ থাকা ফোন' },
  waitingSince: { en: 'Payments wait since', bn: 'পেমেন্ট অপেক্ষায়' },
  lastSeen: { en: 'Last heard from', bn: 'শেষ খবর' },
  never: { en: 'Never', bn: 'কখনো না' },
  failing: { en: 'Failing webhook addresses', bn: 'ব্যর্থ ওয়েবহুক ঠিকানা' },
  failingSince: { en: 'Nothing but failures since', bn: 'শুধু ব্যর্থতা, শুরু' },
  paused: { en: 'Paused webhook addresses', bn: 'থেমে থাকা ওয়েবহুক ঠিকানা' },
  pausedSince: { en: 'Paused since', bn: 'থেমে আছে' },
  gone: { en: 'Answered that it is gone', bn: 'ঠিকানা আর নেই বলেছে' },
  gaveUp: { en: 'Failed for days', bn: 'কয়েক দিন ব্যর্থ' },
  protections: { en: 'Guess protection', bn: 'অনুমান ঠেকানোর বাধা' },
  protectionsLead: {
    en: 'Too many wrong submissions for one amount: meanwhile, such matches go to review.',
    bn: 'এক পরিমাণে অনেক ভুল চেষ্টা: ততক্ষণ এমন মিল যাচাইয়ে যায়।',
  },
  more: { en: 'The first {count} are shown; there are more.', bn: 'প্রথম {count}টি দেখানো হলো; আরও আছে।' },
};
