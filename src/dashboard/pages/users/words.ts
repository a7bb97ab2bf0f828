import { type Role } from '../../../accounts/index.js';
import { type InBothLanguages } from '../../kit/page-definition.js';

export const NAME = { en: 'People', bn: 'লোকজন' };
export const TEXT = {
  one: { en: 'Person', bn: 'ব্যক্তি' },
  role: { en: 'Role', bn: 'ভূমিকা' },
  add: { en: 'Add a person', bn: 'নতুন লোক' },
  passwordHint: {
    en: 'At least 10 characters. Tell it to the person yourself.',
    bn: 'অন্তত ১০ অক্ষর। নিজে তাঁকে জানান।',
  },
  active: { en: 'May sign in', bn: 'সাইন ইন করতে পারেন' },
  activeHint: {
    en: 'Switched off, all sessions of this user end at once.',
    bn: 'বন্ধ করলে তাঁর সব সেশন সঙ্গে সঙ্গে শেষ হয়।',
  },
  removeSecondFactor: { en: 'Remove the second factor', bn: 'দ্বিতীয় ধাপ সরান' },
  removeSecondFactorHint: {
    en: 'Do this only for a user whom you know: with the password alone, anybody can then sign in.',
    bn: 'শুধু পরিচিত ব্যবহারকারীর জন্য করুন: এরপর শুধু পাসওয়ার্ড দিয়েই সাইন ইন করা যাবে।',
  },
  inactive: { en: 'Deactivated', bn: 'নিষ্ক্রিয়' },
  since: { en: 'E-mail', bn: 'ই-মেইল' },
};

export const ROLE_WORDS: Readonly<Record<Role, InBothLanguages>> = {
  admin: { en: 'Admin', bn: 'অ্যাডমিন' },
  merchant: { en: 'Merchant', bn: 'মার্চেন্ট' },
};
