import { type MessageStatus } from '../../../inbound/index.js';
import { type InBothLanguages } from '../../kit/page-definition.js';
import { type MessageReason } from '../../../wallets/index.js';

export const NAME = { en: 'Messages', bn: 'বার্তা' };
export const TEXT = {
  one: { en: 'Message', bn: 'বার্তা' },
  lead: {
    en: 'Every text that the store’s phone has forwarded, and what it was taken for.',
    bn: 'দোকানের ফোন যত বার্তা পাঠিয়েছে, আর সেগুলো কী হিসেবে ধরা হয়েছে।',
  },
  unread: { en: 'Unread: a user must look', bn: 'পড়া যায়নি: একজনকে দেখতে হবে' },
  allUnread: { en: 'All unread messages', bn: 'পড়া যায়নি এমন সব বার্তা' },
  others: { en: 'All others', bn: 'বাকি সব' },
  readAgain: { en: 'Read again', bn: 'আবার পড়ুন' },
  readAgainHint: {
    en: 'Reads all unread texts with today’s rules. A receipt that is found counts as one that has just come.',
    bn: 'আজকের নিয়মে সব না-পড়া বার্তা আবার পড়ে। রসিদ পাওয়া গেলে তা এইমাত্র আসা রসিদের মতোই গণ্য হয়।',
  },
  empty: {
    en: 'No message has come yet. Connect the phone that gets the wallet’s messages.',
    bn: 'এখনো কোনো বার্তা আসেনি। যে ফোনে ওয়ালেটের বার্তা আসে, তা যুক্ত করুন।',
  },
  emptyFilter: { en: 'No message fits this.', bn: 'এর সঙ্গে মেলে এমন বার্তা নেই।' },
  connect: { en: 'Connect a phone', bn: 'ফোন যুক্ত করুন' },
  tryTitle: { en: 'Try a text', bn: 'একটি বার্তা পরীক্ষা করুন' },
  tryLead: {
    en: 'Shows what the reader takes a message for. Nothing is stored, and no payment changes.',
    bn: 'একটি বার্তাকে কী হিসেবে ধরা হবে, তা দেখায়। কিছু রাখা হয় না, কোনো পেমেন্ট বদলায় না।',
  },
  senderHint: {
    en: 'Exactly as the phone shows it: bKash, NAGAD, 16216, upay.',
    bn: 'ফোনে যেমন দেখায় ঠিক তেমন: bKash, NAGAD, 16216, upay।',
  },
  text: { en: 'Text', bn: 'বার্তার লেখা' },
  outcome: { en: 'Taken for', bn: 'ধরা হয়েছে' },
  status: { en: 'Taken for', bn: 'ধরা হয়েছে' },
  why: { en: 'Why', bn: 'কারণ' },
  rule: { en: 'Rule', bn: 'নিয়ম' },
  version: { en: 'version', bn: 'সংস্করণ' },
  app: { en: 'Forwarded by', bn: 'পাঠিয়েছে' },
  sim: { en: 'SIM card', bn: 'সিম' },
  sentAt: { en: 'Stamped by the network', bn: 'নেটওয়ার্কের সময়' },
  receivedAt: { en: 'Reached the phone', bn: 'ফোনে এসেছে' },
  arrivedAt: { en: 'Reached us', bn: 'আমাদের কাছে এসেছে' },
  read: { en: 'What was read from it', bn: 'যা পড়া গেছে' },
  kind: { en: 'Money', bn: 'টাকা' },
  moneyIn: { en: 'came in', bn: 'এসেছে' },
  moneyOut: { en: 'went out', bn: 'গেছে' },
  balance: { en: 'Balance after it', bn: 'এরপর ব্যালান্স' },
  timeInText: { en: 'Time in the text', bn: 'বার্তায় লেখা সময়' },
  receipt: { en: 'Receipt', bn: 'রসিদ' },
  toReceipt: { en: 'The receipt that it became', bn: 'এ থেকে হওয়া রসিদ' },
  words: { en: 'The text', bn: 'বার্তা' },
  raw: { en: 'As it came', bn: 'যেমন এসেছে' },
  redacted: { en: 'The text was removed after its time.', bn: 'সময় পেরোনোয় লেখাটি মুছে ফেলা হয়েছে।' },
  reread: { en: 'Read again', bn: 'আবার পড়া হয়েছে' },
  ofWhichReceipts: { en: 'receipts', bn: 'রসিদ' },
  ofWhichIgnored: { en: 'no receipts', bn: 'রসিদ নয়' },
  ofWhichUnread: { en: 'still unread', bn: 'এখনো পড়া যায়নি' },
};

export const MESSAGE_WORDS: Readonly<Record<MessageStatus, InBothLanguages>> = {
  unread: { en: 'Unread', bn: 'পড়া যায়নি' },
  receipt: { en: 'Receipt', bn: 'রসিদ' },
  ignored: { en: 'No receipt', bn: 'রসিদ নয়' },
};

export const REASON_WORDS: Readonly<Record<MessageReason, InBothLanguages>> = {
  outgoing: { en: 'Money that went out.', bn: 'টাকা বাইরে গেছে।' },
  promotion: { en: 'Advertising or a notice.', bn: 'বিজ্ঞাপন বা নোটিশ।' },
  otp: { en: 'A one-time code.', bn: 'একবারের কোড (OTP)।' },
  reversal: {
    en: 'Money was taken back. Look whether an order was shipped for it.',
    bn: 'টাকা ফেরত নেওয়া হয়েছে। এর জন্য কোনো অর্ডার পাঠানো হয়েছে কি না দেখুন।',
  },
  own_money: {
    en: 'The owner’s own money, from a bank or a card.',
    bn: 'মালিকের নিজের টাকা, ব্যাংক বা কার্ড থেকে।',
  },
  agent_direction: {
    en: 'Of an agent’s account, and not from a customer.',
    bn: 'এজেন্ট অ্যাকাউন্টের লেনদেন, ক্রেতার নয়।',
  },
  unknown_sender: { en: 'The sender is no wallet.', bn: 'প্রেরক কোনো ওয়ালেট নয়।' },
  look_alike_sender: {
    en: 'The sender only looks like a wallet. Somebody may be trying to cheat.',
    bn: 'প্রেরক শুধু দেখতে ওয়ালেটের মতো। কেউ হয়তো ঠকাতে চাইছে।',
  },
  incomplete: {
    en: 'The text was cut off before its end.',
    bn: 'বার্তাটি শেষ হওয়ার আগেই কাটা পড়েছে।',
  },
  no_rule: {
    en: 'The wallet’s own sender, but nobody knows this wording.',
    bn: 'ওয়ালেটেরই প্রেরক, কিন্তু এই ভাষার বার্তা চেনা নেই।',
  },
  encrypted: {
    en: 'The app encrypts. Switch encryption off in it.',
    bn: 'অ্যাপটি এনক্রিপ্ট করে। অ্যাপে এনক্রিপশন বন্ধ করুন।',
  },
  unreadable_body: {
    en: 'What the app sent holds no message. Look at its settings.',
    bn: 'অ্যাপ যা পাঠিয়েছে তাতে বার্তা নেই। অ্যাপের সেটিংস দেখুন।',
  },
};
