import { type AccountType } from '../../../wallets/index.js';
import { type InBothLanguages } from '../../kit/page-definition.js';
import { type QrPictureReading } from './qr-pictures.js';

export const NAME = { en: 'Wallets', bn: 'ওয়ালেট' };
export const TEXT = {
  one: { en: 'Wallet', bn: 'ওয়ালেট' },
  empty: {
    en: 'No wallet yet. Add the number your customers are to pay to.',
    bn: 'এখনো কোনো ওয়ালেট নেই। ক্রেতারা যে নম্বরে টাকা দেবেন তা যোগ করুন।',
  },
  addTitle: { en: 'Add a wallet', bn: 'ওয়ালেট যোগ করুন' },
  number: { en: 'Number', bn: 'নম্বর' },
  accountType: { en: 'Account type', bn: 'অ্যাকাউন্টের ধরন' },
  accountHint: {
    en: 'It decides what the customer must choose in the wallet: a wrong one brings another kind of message.',
    bn: 'ক্রেতা ওয়ালেটে কী বেছে নেবেন তা এতে ঠিক হয়: ভুল হলে অন্য ধরনের বার্তা আসে।',
  },
  qrText: { en: 'QR text', bn: 'QR লেখা' },
  qrHint: {
    en: 'What stands in your printed Bangla QR code; for Bangla QR only.',
    bn: 'আপনার ছাপা বাংলা QR কোডে যা আছে; শুধু বাংলা QR-এর জন্য।',
  },
  qrLabel: { en: 'QR code', bn: 'QR কোড' },
  enabled: { en: 'Offered to customers', bn: 'ক্রেতাদের দেখানো হয়' },
  off: { en: 'Off', bn: 'বন্ধ' },
  fromPicture: { en: 'Bangla QR from a picture', bn: 'ছবি থেকে বাংলা QR' },
  picture: { en: 'Picture', bn: 'ছবি' },
  pictureHint: {
    en: 'A photo or screenshot of your printed code, PNG or JPEG, at most 8 MiB. You see what was read before it is saved.',
    bn: 'আপনার ছাপা কোডের ছবি বা স্ক্রিনশট, PNG বা JPEG, সর্বোচ্চ ৮ MiB। সেভ করার আগে কী পড়া গেল দেখবেন।',
  },
  read: { en: 'Read the picture', bn: 'ছবিটি পড়ুন' },
  found: {
    en: 'This was read. Is it your shop? Then save it.',
    bn: 'এটি পড়া গেছে। এটি কি আপনার দোকান? তাহলে সেভ করুন।',
  },
  shopName: { en: 'Shop in the code', bn: 'কোডে লেখা দোকান' },
  city: { en: 'City', bn: 'শহর' },
  fixedAmount: { en: 'Fixed amount in the code', bn: 'কোডে বাঁধা পরিমাণ' },
  change: { en: 'Change', bn: 'বদলান' },
  up: { en: 'Move up', bn: 'উপরে' },
  remove: { en: 'Remove', bn: 'সরান' },
  removeSure: {
    en: 'The wallet is no longer offered. Payments that are open keep waiting for their receipts.',
    bn: 'ওয়ালেটটি আর দেখানো হবে না। খোলা পেমেন্টগুলো রসিদের অপেক্ষায় থাকবে।',
  },
};

export const ACCOUNT_TYPE_WORDS: Readonly<Record<AccountType, InBothLanguages>> = {
  personal: { en: 'Personal', bn: 'পার্সোনাল' },
  merchant: { en: 'Merchant', bn: 'মার্চেন্ট' },
  agent: { en: 'Agent', bn: 'এজেন্ট' },
};

/** Why a picture was not taken, in the reader's words. */
export const PICTURE_PROBLEMS: Readonly<
  Record<Exclude<QrPictureReading['outcome'], 'payment'>, InBothLanguages>
> = {
  no_picture: {
    en: 'This is no picture that can be read. Take a PNG or a JPEG.',
    bn: 'এই ছবি পড়া যাচ্ছে না। PNG বা JPEG দিন।',
  },
  too_large: {
    en: 'The picture is too large: at most 8 MiB and 40 megapixels. Cut out the code, or take a smaller one.',
    bn: 'ছবিটি বেশি বড়: সর্বোচ্চ ৮ MiB ও ৪০ মেগাপিক্সেল। শুধু কোডটুকু কেটে দিন, অথবা ছোট ছবি দিন।',
  },
  no_code: {
    en: 'No QR code was found. Hold the camera straight, close and in good light.',
    bn: 'কোনো QR কোড পাওয়া যায়নি। ক্যামেরা সোজা, কাছে ও ভালো আলোয় ধরুন।',
  },
  several_codes: {
    en: 'There is more than one QR code on it. Cut out the one that customers pay to.',
    bn: 'ছবিতে একাধিক QR কোড আছে। যেটিতে ক্রেতারা টাকা দেন শুধু সেটি কেটে দিন।',
  },
  no_payment_code: {
    en: 'The code is no payment code: it holds a web address or something else.',
    bn: 'এটি পেমেন্টের কোড নয়: এতে ওয়েব ঠিকানা বা অন্য কিছু আছে।',
  },
  wrong_checksum: {
    en: 'It is a payment code, but its checksum is wrong: it is damaged, or was changed. Use the original.',
    bn: 'এটি পেমেন্টের কোড, কিন্তু চেকসাম ভুল: কোডটি নষ্ট বা বদলানো। আসলটি ব্যবহার করুন।',
  },
};
