export const NAME = { en: 'Review', bn: 'যাচাই' };
export const TEXT = {
  empty: {
    en: 'Nothing waits for you. Money that does not agree with its payment shows here.',
    bn: 'আপনার জন্য কিছু নেই। যে টাকার সঙ্গে পেমেন্ট মেলে না, তা এখানে আসবে।',
  },
  decide: { en: 'Decide', bn: 'সিদ্ধান্ত দিন' },
  look: { en: 'Look', bn: 'দেখুন' },
  several: {
    en: ' payments over the same money: only one can have it.',
    bn: 'টি পেমেন্ট একই টাকা নিয়ে: একটিই পেতে পারে।',
  },
};
