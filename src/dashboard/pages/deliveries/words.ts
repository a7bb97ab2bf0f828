import { type DeliveryStatus } from '../../../notifications/index.js';
import { type InBothLanguages } from '../../kit/page-definition.js';

export const NAME = { en: 'Deliveries', bn: 'ডেলিভারি' };
export const TEXT = {
  one: { en: 'Delivery', bn: 'ডেলিভারি' },
  empty: {
    en: 'Nothing has been sent yet. As soon as a payment is verified, your website hears of it here.',
    bn: 'এখনো কিছু পাঠানো হয়নি। কোনো পেমেন্ট যাচাই হলেই আপনার ওয়েবসাইট খবর পাবে।',
  },
  noAddress: {
    en: 'There is no webhook address: events are held until there is one.',
    bn: 'ওয়েবহুকের ঠিকানা নেই: দেওয়া পর্যন্ত খবর জমা থাকবে।',
  },
  paused: {
    en: 'The webhook address is paused, because it answered with nothing but failures. Events are held.',
    bn: 'ঠিকানাটি থেমে আছে, কারণ শুধু ব্যর্থতাই এসেছে। খবর জমা থাকছে।',
  },
  resume: { en: 'Resume', bn: 'আবার চালু করুন' },
  setAddress: { en: 'To the webhook address', bn: 'ঠিকানা দিন' },
  sendAgain: { en: 'Send again', bn: 'আবার পাঠান' },
  attempts: { en: 'Attempts', bn: 'চেষ্টা' },
  noAttempts: { en: 'No attempt yet.', bn: 'এখনো চেষ্টা হয়নি।' },
  next: { en: 'Next attempt', bn: 'পরের চেষ্টা' },
  event: { en: 'Event', bn: 'ঘটনা' },
  payment: { en: 'Payment', bn: 'পেমেন্ট' },
  body: { en: 'What is sent', bn: 'যা পাঠানো হয়' },
  milliseconds: { en: 'ms', bn: 'মি.সে.' },
  replay: { en: 'Replay', bn: 'আবার চালান' },
  replayLead: {
    en: 'Sends a whole range again, in its order: after your website was away, or lost what it got.',
    bn: 'পুরো একটি সময়ের খবর ক্রমানুসারে আবার পাঠায়: ওয়েবসাইট বন্ধ থাকলে বা খবর হারালে।',
  },
  since: { en: 'From day', bn: 'যে তারিখ থেকে' },
  until: { en: 'To day', bn: 'যে তারিখ পর্যন্ত' },
  which: { en: 'Which', bn: 'কোনগুলো' },
  failedOnly: { en: 'Failed ones', bn: 'ব্যর্থগুলো' },
  allOfThem: { en: 'All', bn: 'সব' },
};

export const DELIVERY_WORDS: Readonly<Record<DeliveryStatus, InBothLanguages>> = {
  pending: { en: 'On its way', bn: 'পাঠানো হচ্ছে' },
  delivered: { en: 'Delivered', bn: 'পৌঁছেছে' },
  failed: { en: 'Failed', bn: 'ব্যর্থ' },
  held: { en: 'Held', bn: 'জমা আছে' },
};
