export const NAME = { en: 'Payments', bn: 'পেমেন্ট' };
export const CREATE = { en: 'Create payment', bn: 'পেমেন্ট তৈরি করুন' };
export const TEXT = {
  export: { en: 'Export CSV', bn: 'CSV নামান' },
  empty: {
    en: 'No payment yet. Create one here and send its link to a customer, or let your website create them.',
    bn: 'এখনো কোনো পেমেন্ট নেই। এখানে একটি তৈরি করে ক্রেতাকে লিংক পাঠান, অথবা আপনার ওয়েবসাইটকে তৈরি করতে দিন।',
  },
  notFound: { en: 'No payment fits this.', bn: 'এর সঙ্গে মেলে এমন পেমেন্ট নেই।' },
  searchHint: {
    en: 'Id, TrxID, phone or note; notes and names of the latest 5,000, or of a day',
    bn: 'আইডি, TrxID, ফোন বা নোট; নোট ও নাম সর্বশেষ ৫,০০০টিতে, বা একটি দিনে',
  },
  amountHint: { en: 'What the customer is to pay.', bn: 'ক্রেতা যত টাকা দেবেন।' },
  noteHint: {
    en: 'An order number, for instance. The customer sees it.',
    bn: 'যেমন অর্ডার নম্বর। ক্রেতা এটি দেখবেন।',
  },
};
