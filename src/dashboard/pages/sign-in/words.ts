export const CODE = { en: 'Code', bn: 'কোড' };
export const CODE_HINT = {
  en: 'Only with a second factor: six digits of your app, or one of your recovery codes.',
  bn: 'শুধু দ্বিতীয় ধাপ থাকলে: আপনার অ্যাপের ছয় সংখ্যা, অথবা একটি রিকভারি কোড।',
};
export const BY_COMPANY = { en: 'Sign in with your company', bn: 'প্রতিষ্ঠানের অ্যাকাউন্ট দিয়ে সাইন ইন' };
export const OR = { en: 'or', bn: 'অথবা' };
export const LEAD = { en: 'For shops and their people.', bn: 'দোকান ও তার লোকজনের জন্য।' };
