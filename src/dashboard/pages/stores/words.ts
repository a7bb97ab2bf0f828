export const NAME = { en: 'Stores', bn: 'দোকান' };
export const TEXT = {
  newStore: { en: 'New store', bn: 'নতুন দোকান' },
  empty: {
    en: 'No store yet. A store has its own wallets, phone and keys; most shops need one.',
    bn: 'এখনো কোনো দোকান নেই। প্রতিটি দোকানের নিজের ওয়ালেট, ফোন ও কী থাকে; বেশির ভাগের একটিই লাগে।',
  },
  today: { en: 'Today', bn: 'আজ' },
  review: { en: 'to review', bn: 'যাচাই বাকি' },
  archived: { en: 'Archived', bn: 'আর্কাইভ' },
  phone: { en: 'Phone last heard from: ', bn: 'ফোনের শেষ খবর: ' },
  noPhone: { en: 'No phone has reported yet', bn: 'কোনো ফোন এখনো যুক্ত হয়নি' },
};
