export const NAME = { en: 'Developers', bn: 'ডেভেলপার' };
export const TEXT = {
  apiKey: { en: 'API key', bn: 'API কী' },
  apiKeyLead: {
    en: 'For your website’s backend, never for a browser or an app. It cannot be shown again, only rotated.',
    bn: 'শুধু ওয়েবসাইটের ব্যাকএন্ডের জন্য, কখনো ব্রাউজার বা অ্যাপে নয়। আবার দেখা যায় না, শুধু বদলানো যায়।',
  },
  endsIn: { en: 'Ends in', bn: 'শেষে আছে' },
  webhookSecret: { en: 'Webhook secret', bn: 'ওয়েবহুক সিক্রেট' },
  webhookSecretLead: {
    en: 'For the app on your phone, and for checking X-Service-Signature.',
    bn: 'আপনার ফোনের অ্যাপের জন্য, আর X-Service-Signature মেলাতে।',
  },
  signingSecret: { en: 'Signing secret', bn: 'সাইনিং সিক্রেট' },
  signingSecretLead: {
    en: 'For any Standard Webhooks library.',
    bn: 'যেকোনো Standard Webhooks লাইব্রেরির জন্য।',
  },
  rotate: { en: 'Rotate', bn: 'বদলান' },
  regenerate: { en: 'Regenerate', bn: 'নতুন করুন' },
  rotateKeySure: {
    en: 'The old API key is refused from now on: your website stops creating payments until it has the new one.',
    bn: 'পুরোনো API কী এখন থেকে অচল: নতুনটি না বসানো পর্যন্ত ওয়েবসাইট পেমেন্ট তৈরি করতে পারবে না।',
  },
  regenerateSure: {
    en: 'The old webhook secret is refused from now on: the phone’s app needs the new one at once.',
    bn: 'পুরোনো ওয়েবহুক সিক্রেট এখন থেকে অচল: ফোনের অ্যাপে নতুনটি এখনই লাগবে।',
  },
  rotateSigningSure: {
    en: 'The old signing secret goes on signing beside the new one for 24 hours.',
    bn: 'পুরোনো সাইনিং সিক্রেট আরও ২৪ ঘণ্টা নতুনটির পাশে কাজ করবে।',
  },
  audited: { en: 'Every look is written to the audit log.', bn: 'প্রতিবার দেখা অডিট লগে লেখা হয়।' },
  shownNow: {
    en: 'Shown now; copy it before you leave this page.',
    bn: 'এখন দেখানো হচ্ছে; পাতা ছাড়ার আগে কপি করুন।',
  },
  webhook: { en: 'Webhook', bn: 'ওয়েবহুক' },
  address: { en: 'Webhook address', bn: 'ওয়েবহুকের ঠিকানা' },
  addressHint: {
    en: 'Where payment.verified is posted. Empty: events are held until there is an address.',
    bn: 'যেখানে payment.verified পাঠানো হয়। ফাঁকা থাকলে খবর জমা থাকে।',
  },
  signWith: { en: 'Signed with', bn: 'যা দিয়ে সই' },
  test: { en: 'Send test event', bn: 'পরীক্ষার খবর পাঠান' },
  testOk: { en: 'Your website took it', bn: 'আপনার ওয়েবসাইট নিয়েছে' },
  testFailed: { en: 'Your website did not take it', bn: 'আপনার ওয়েবসাইট নেয়নি' },
  answered: { en: 'Status', bn: 'স্ট্যাটাস' },
  error: { en: 'What went wrong', bn: 'কী হয়েছে' },
  duration: { en: 'Took', bn: 'সময় লেগেছে' },
  milliseconds: { en: 'ms', bn: 'মি.সে.' },
  excerpt: { en: 'Answer', bn: 'উত্তর' },
  samples: { en: 'Code samples', bn: 'কোডের নমুনা' },
  samplesLead: {
    en: 'They hold this store’s values; put the API key where the dots are.',
    bn: 'এতে এই দোকানের মান আছে; বিন্দুর জায়গায় API কী বসান।',
  },
  create: { en: 'Create a payment', bn: 'পেমেন্ট তৈরি' },
  check: { en: 'Check a webhook’s signature', bn: 'ওয়েবহুকের সই মেলানো' },
  documents: { en: 'All of the API', bn: 'পুরো API' },
};
