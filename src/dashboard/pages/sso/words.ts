import { type InBothLanguages } from '../../kit/page-definition.js';

export const TEXT = {
  refused: {
    en: 'Your company did not sign you in, or it took too long. Nothing has changed; try again.',
    bn: 'প্রতিষ্ঠান আপনাকে সাইন ইন করায়নি, অথবা বেশি সময় লেগেছে। কিছু বদলায়নি; আবার চেষ্টা করুন।',
  },
  noRole: {
    en: 'Your company’s account has no role here. Whoever runs it can give you one.',
    bn: 'আপনার প্রতিষ্ঠানের অ্যাকাউন্টের এখানে কোনো ভূমিকা নেই। দায়িত্বে যিনি আছেন তিনি দিতে পারেন।',
  },
  again: { en: 'Back to the sign-in', bn: 'সাইন ইনে ফিরে যান' },
} satisfies Record<string, InBothLanguages>;
