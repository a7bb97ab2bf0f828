import type { Language } from './language.js';

const BANGLA_ZERO = '০'.charCodeAt(0);
const BANGLA_DIGITS: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from('০১২৩৪৫৬৭৮৯', (digit, value) => [String(value), digit]),
);

/** Digits as the language writes them in running text. Not for phone numbers, codes to dial or transaction ids. */
export function localDigits(text: string | number, language: Language): string {
  const latin = String(text);
  if (language === 'en') return latin;
  let local = '';
  for (const character of latin) local += BANGLA_DIGITS[character] ?? character;
  return local;
}

/** ০–৯ to 0–9; everything else stays. */
export function latinDigits(text: string): string {
  return text.replace(/[০-৯]/g, (digit) => String(digit.charCodeAt(0) - BANGLA_ZERO));
}

/** Pattern of whole digits in groups as Bangladesh writes them, or of three: `1,20,000`, `120,000`. */
export const GROUPED_DIGITS = String.raw`(?:\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d{2})*,\d{3})`;
const GROUPED = new RegExp(String.raw`^${GROUPED_DIGITS}(?:\.\d+)?$`);

/**
 * An amount that a user typed, as a number is written: Latin digits, without the currency, blanks and grouping. A
 * comma that groups nothing stays, so that `10,5` is refused as no number and not taken for 105.
 */
export function typedNumber(typed: string): string {
  const plain = latinDigits(typed).replace(/[৳\s]|BDT|Tk\.?/giu, '');
  return GROUPED.test(plain) ? plain.replaceAll(',', '') : plain;
}

/**
 * Money for reading, such as `৳1,20,000.00` or `৳১,২০,০০০.০০`: grouped the way Bangladesh groups, always two decimals.
 * Other currencies get their code in front and groups of three.
 */
export function formatAmount(amountMinor: number, currency: string, language: Language): string {
  const [whole = '0', fraction = '00'] = plainAmountWithDecimals(amountMinor).split('.');
  const inTaka = currency === 'BDT';
  const grouped = whole.replace(inTaka ? /\B(?=(?:\d{2})*\d{3}$)/g : /\B(?=(?:\d{3})+$)/g, ',');
  const digits = localDigits(`${grouped}.${fraction}`, language);
  return inTaka ? `৳${digits}` : `${currency} ${digits}`;
}

/** The amount as a wallet's own field takes it: Latin digits, no grouping, decimals only when there are any. */
export function plainAmount(amountMinor: number): string {
  return plainAmountWithDecimals(amountMinor).replace(/\.00$/, '');
}

function plainAmountWithDecimals(amountMinor: number): string {
  const minor = Number.isFinite(amountMinor) ? Math.max(0, Math.round(amountMinor)) : 0;
  return `${String(Math.floor(minor / 100))}.${String(minor % 100).padStart(2, '0')}`;
}
