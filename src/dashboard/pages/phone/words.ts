import { type RecipeSetting } from '../../../inbound/index.js';
import { type InBothLanguages } from '../../kit/page-definition.js';

export const NAME = { en: 'Phone', bn: 'ফোন' };
export const TEXT = {
  waiting: { en: 'Waiting for the first message…', bn: 'প্রথম বার্তার অপেক্ষায়…' },
  waitingHint: {
    en: 'Set one of these apps up on the phone that gets the wallet’s messages, then send yourself a small amount.',
    bn: 'যে ফোনে ওয়ালেটের বার্তা আসে তাতে এই অ্যাপগুলোর একটি বসান, তারপর নিজেকে অল্প টাকা পাঠান।',
  },
  heard: {
    en: 'The phone was heard, but no message has come yet.',
    bn: 'ফোনের খবর এসেছে, কিন্তু এখনো কোনো বার্তা আসেনি।',
  },
  received: { en: 'Connected: messages are received.', bn: 'যুক্ত: বার্তা পাওয়া যাচ্ছে।' },
  silent: {
    en: 'Silent while payments wait. Look whether the phone is on, online, and not saving battery for the app.',
    bn: 'পেমেন্ট অপেক্ষায়, ফোন চুপ। ফোন চালু কি না, ইন্টারনেট আছে কি না, আর অ্যাপে ব্যাটারি সাশ্রয় বন্ধ কি না দেখুন।',
  },
  health: { en: 'Health', bn: 'অবস্থা' },
  lastSeen: { en: 'Last heard from', bn: 'শেষ খবর' },
  never: { en: 'Never', bn: 'কখনো না' },
  app: { en: 'App', bn: 'অ্যাপ' },
  battery: { en: 'Battery', bn: 'ব্যাটারি' },
  pending: { en: 'Waiting in the phone', bn: 'ফোনে জমে আছে' },
  clock: { en: 'Clock of the phone', bn: 'ফোনের ঘড়ি' },
  ahead: { en: 'seconds fast', bn: 'সেকেন্ড এগিয়ে' },
  behind: { en: 'seconds slow', bn: 'সেকেন্ড পিছিয়ে' },
  latest: { en: 'Last messages', bn: 'শেষ বার্তাগুলো' },
  all: { en: 'All messages', bn: 'সব বার্তা' },
  connect: { en: 'Connect a phone', bn: 'ফোন যুক্ত করুন' },
  steps: {
    en: 'Put one of these apps on the phone that gets the wallet’s messages, and set it as written here.',
    bn: 'যে ফোনে ওয়ালেটের বার্তা আসে তাতে এই অ্যাপগুলোর একটি বসিয়ে এখানে লেখা মতো সেট করুন।',
  },
  senders: { en: 'Let it forward these senders only:', bn: 'শুধু এই প্রেরকদের বার্তা পাঠাতে দিন:' },
  battery2: {
    en: 'Switch off battery optimisation for the app, so that Android does not put it to sleep.',
    bn: 'অ্যাপটির ব্যাটারি অপটিমাইজেশন বন্ধ করুন, যাতে অ্যান্ড্রয়েড সেটিকে ঘুম না পাড়ায়।',
  },
  try: {
    en: 'Send yourself a small amount. It shows up here within seconds.',
    bn: 'নিজেকে অল্প টাকা পাঠান। কয়েক সেকেন্ডে এখানে দেখা যাবে।',
  },
  secretHidden: {
    en: 'The secret is hidden. Whoever has it can make payments look paid: show it only to the phone.',
    bn: 'সিক্রেট লুকানো আছে। এটি যার হাতে যাবে সে পেমেন্টকে পরিশোধিত দেখাতে পারে: শুধু ফোনে বসান।',
  },
  secretShown: {
    en: 'The secret stands in the settings below. That it was shown is in the audit log.',
    bn: 'নিচের সেটিংসে সিক্রেট দেখা যাচ্ছে। দেখানোর কথা অডিট লগে লেখা হয়েছে।',
  },
  secret: { en: 'Webhook secret', bn: 'ওয়েবহুক সিক্রেট' },
  source: { en: 'Where to get the app', bn: 'অ্যাপটি যেখানে পাবেন' },
  qr: {
    en: 'Scan with the phone’s camera to take the settings over.',
    bn: 'ফোনের ক্যামেরায় স্ক্যান করে সেটিংস নিয়ে যান।',
  },
  qrLabel: { en: 'QR code with the settings for', bn: 'সেটিংসের QR কোড:' },
  other: { en: 'Any other app', bn: 'অন্য যেকোনো অ্যাপ' },
  managers: {
    en: 'A manager of the store can connect a phone.',
    bn: 'দোকানের ম্যানেজার ফোন যুক্ত করতে পারেন।',
  },
};

export const SETTING_WORDS: Readonly<Record<RecipeSetting, InBothLanguages>> = {
  address: { en: 'Address (URL)', bn: 'ঠিকানা (URL)' },
  address_with_secret: {
    en: 'Only if it can send no header: this address (URL)',
    bn: 'হেডার পাঠাতে না পারলে তবেই এই ঠিকানা (URL)',
  },
  method: { en: 'Method', bn: 'পদ্ধতি (Method)' },
  headers: { en: 'Headers', bn: 'হেডার (Headers)' },
  secret_header: { en: 'Header', bn: 'হেডার (Header)' },
  type_header: { en: 'Second header', bn: 'দ্বিতীয় হেডার' },
  template: { en: 'Message template', bn: 'বার্তার ছাঁচ (template)' },
  chunked_mode: { en: 'Chunked mode', bn: 'চাঙ্কড মোড (chunked)' },
  event: { en: 'Event', bn: 'ইভেন্ট (event)' },
  signing_key: { en: 'Signing key or secret', bn: 'সাইনিং কী (signing key)' },
  encryption: { en: 'Encryption', bn: 'এনক্রিপশন (encryption)' },
};
