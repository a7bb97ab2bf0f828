import { type MemberRole } from '../../../stores/index.js';
import { type InBothLanguages } from '../../kit/page-definition.js';

export const NAME = { en: 'Members', bn: 'সদস্য' };
export const TEXT = {
  one: { en: 'Member', bn: 'সদস্য' },
  role: { en: 'Role', bn: 'ভূমিকা' },
  addTitle: { en: 'Add a member', bn: 'সদস্য যোগ করুন' },
  emailHint: {
    en: 'Of somebody who has an account here already; an admin creates accounts.',
    bn: 'যাঁর এখানে আগেই অ্যাকাউন্ট আছে; অ্যাকাউন্ট তৈরি করেন অ্যাডমিন।',
  },
  since: { en: 'Member since', bn: 'সদস্য হয়েছেন' },
  ownerSince: { en: 'Owner since', bn: 'মালিক হয়েছেন' },
  stays: {
    en: 'The owner of the store cannot be changed or removed here.',
    bn: 'দোকানের মালিককে এখানে বদলানো বা সরানো যায় না।',
  },
  remove: { en: 'Remove', bn: 'সরান' },
  removeLead: {
    en: 'The store disappears for this person with their next press.',
    bn: 'সরালে পরের চাপেই তিনি আর দোকানটি দেখতে পাবেন না।',
  },
  removeSure: {
    en: 'This person loses the store at once. They can be added again later.',
    bn: 'তিনি এখনই দোকানটি হারাবেন। পরে আবার যোগ করা যাবে।',
  },
  whoMay: { en: 'Who may what', bn: 'কে কী পারেন' },
};

export const ROLE_WORDS: Readonly<Record<MemberRole | 'owner', InBothLanguages>> = {
  viewer: { en: 'Viewer', bn: 'দর্শক' },
  reviewer: { en: 'Reviewer', bn: 'যাচাইকারী' },
  manager: { en: 'Manager', bn: 'ম্যানেজার' },
  owner: { en: 'Owner', bn: 'মালিক' },
};

export const ROLE_LEADS: Readonly<Record<MemberRole | 'owner', InBothLanguages>> = {
  viewer: {
    en: 'reads payments, receipts, messages and deliveries.',
    bn: 'পেমেন্ট, রসিদ, বার্তা ও ডেলিভারি দেখেন।',
  },
  reviewer: {
    en: 'also decides reviews, matches and voids receipts, makes payments and links, records refunds, sends deliveries again.',
    bn: 'আরও: যাচাইয়ের সিদ্ধান্ত, রসিদ মেলানো ও বাতিল, পেমেন্ট ও লিংক তৈরি, ফেরত লেখা, আবার পাঠানো।',
  },
  manager: {
    en: 'also changes wallets, phone, webhook and settings, and sees and changes secrets.',
    bn: 'আরও: ওয়ালেট, ফোন, ওয়েবহুক ও সেটিংস বদলান, সিক্রেট দেখেন ও বদলান।',
  },
  owner: { en: 'also has the members and archives the store.', bn: 'আরও: সদস্য ঠিক করেন, দোকান আর্কাইভ করেন।' },
};
