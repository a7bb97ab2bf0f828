export const NAME = { en: 'New store', bn: 'নতুন দোকান' };
export const TEXT = {
  nameHint: { en: 'What your customers see while they pay.', bn: 'টাকা দেওয়ার সময় ক্রেতারা যা দেখেন।' },
  currencyHint: {
    en: 'Three letters. The wallets of Bangladesh pay in BDT.',
    bn: 'তিন অক্ষর। বাংলাদেশের ওয়ালেট BDT-তে চলে।',
  },
  webhook: { en: 'Webhook address', bn: 'ওয়েবহুকের ঠিকানা' },
  webhookHint: {
    en: 'Where your website hears of payments. You can leave it out, and give it later.',
    bn: 'আপনার ওয়েবসাইট যেখানে পেমেন্টের খবর পাবে। এখন ফাঁকা রাখা যায়।',
  },
  create: { en: 'Add', bn: 'যোগ করুন' },
  made: { en: 'The store is ready', bn: 'দোকান তৈরি' },
  secretsOnce: {
    en: 'Put these into your website’s backend and your phone’s app now. The API key is shown only this once; the two others can be shown again under Developers.',
    bn: 'এগুলো এখনই আপনার ওয়েবসাইটের ব্যাকএন্ডে ও ফোনের অ্যাপে বসান। API কী শুধু এবারই দেখা যাবে; বাকি দুটি পরে ‘ডেভেলপার’ পাতায় আবার দেখা যায়।',
  },
  apiKey: { en: 'API key', bn: 'API কী' },
  webhookSecret: { en: 'Webhook secret', bn: 'ওয়েবহুক সিক্রেট' },
  signingSecret: { en: 'Signing secret', bn: 'সাইনিং সিক্রেট' },
  onwards: { en: 'To the store', bn: 'দোকানে যান' },
};
