import { wallTime } from '../../kernel/time-zone.js';
import type { Language } from './language.js';
import { localDigits } from './numerals.js';

/*
 * Times of users: in the time zone of the stores (`STORE_TIME_ZONE`), in words written here, so that every replica
 * prints the same.
 */

const MONTHS: Readonly<Record<Language, readonly string[]>> = {
  en: ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'],
  bn: [
    'জানুয়ারি',
    'ফেব্রুয়ারি',
    'মার্চ',
    'এপ্রিল',
    'মে',
    'জুন',
    'জুলাই',
    'আগস্ট',
    'সেপ্টেম্বর',
    'অক্টোবর',
    'নভেম্বর',
    'ডিসেম্বর',
  ],
};

/** Bangla names the part of the day instead of am and pm; each entry is the hour at which its part begins. */
const PARTS_OF_THE_DAY: readonly (readonly [hour: number, name: string])[] = [
  [20, 'রাত'],
  [18, 'সন্ধ্যা'],
  [15, 'বিকেল'],
  [12, 'দুপুর'],
  [6, 'সকাল'],
  [4, 'ভোর'],
  [0, 'রাত'],
];

/** A clock time: `2:20 pm` or `দুপুর ২:২০`. */
export function formatTime(instant: Date, language: Language, timeZone: string): string {
  const local = wallTime(instant, timeZone);
  const hours = local.getUTCHours();
  const clock = `${String(hours % 12 || 12)}:${String(local.getUTCMinutes()).padStart(2, '0')}`;
  if (language === 'en') return `${clock} ${hours < 12 ? 'am' : 'pm'}`;
  const part = PARTS_OF_THE_DAY.find(([from]) => hours >= from)?.[1] ?? '';
  return `${part} ${localDigits(clock, language)}`;
}

/** A day: `21 Nov 2026` or `২১ নভেম্বর ২০২৬`. */
export function formatDay(instant: Date, language: Language, timeZone: string): string {
  const local = wallTime(instant, timeZone);
  const month = MONTHS[language][local.getUTCMonth()] ?? '';
  return localDigits(`${String(local.getUTCDate())} ${month} ${String(local.getUTCFullYear())}`, language);
}

/** Day and time, the day left out when it is the same as `comparedTo`'s. */
export function formatInstant(
  instant: Date,
  language: Language,
  timeZone: string,
  comparedTo?: Date,
): string {
  const day = formatDay(instant, language, timeZone);
  const time = formatTime(instant, language, timeZone);
  return comparedTo && formatDay(comparedTo, language, timeZone) === day ? time : `${day}, ${time}`;
}

/** Time left as a clock: `09:05`, `2:09:05`, and for days `৩ দিন ০২:০৯:০৫`; never negative. */
export function formatCountdown(leftMs: number, language: Language, dayWord: string): string {
  const seconds = Math.max(0, Math.ceil(leftMs / 1000));
  const pad = (value: number): string => String(value).padStart(2, '0');
  const days = Math.floor(seconds / 86_400);
  const hours = Math.floor(seconds / 3_600) % 24;
  const clock = `${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}`;
  if (days > 0) return localDigits(`${String(days)} ${dayWord} ${pad(hours)}:${clock}`, language);
  return localDigits(hours > 0 ? `${String(hours)}:${clock}` : clock, language);
}
