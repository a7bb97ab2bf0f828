import { MAX_AMOUNT_MINOR, type MinorUnits } from '../../kernel/money.js';
import { isDay } from '../../kernel/time-zone.js';
import { GROUPED_DIGITS, latinDigits } from '../../platform/web/numerals.js';

/**
 * Sign, digits grouped as Bangladesh does or by three or not at all, at most two decimals that say something. A comma
 * that groups nothing may be a decimal one: `10,50` is no amount, and not 1,050.
 */
const AMOUNT = new RegExp(String.raw`^([+-]?)(${GROUPED_DIGITS}|\d+)(?:\.(\d{1,2})0*)?$`);

/**
 * An amount as exports write it (`1,250.00`, `1,20,000`, `৳ 500`, `Tk. 500.5`, `(20.00)` for what went out), exactly
 * in minor units; negative for what went out; null when it is none.
 */
export function readAmount(cell: string): MinorUnits | null {
  const plain = latinDigits(cell)
    .replace(/[\s\u00a0\u202f]+/g, '')
    .replace(/^([+-]?)(?:৳|bdt|tk\.?)/i, '$1')
    .replace(/(?:৳|bdt|tk\.?|\/-)$/i, '');
  const inBrackets = /^\((.+)\)$/.exec(plain)?.[1];
  const [, sign = '', whole = '', decimals = ''] = AMOUNT.exec(inBrackets ?? plain) ?? [];
  if (whole === '') return null;
  const minor = Number(whole.replaceAll(',', '')) * 100 + Number(decimals.padEnd(2, '0'));
  if (minor > MAX_AMOUNT_MINOR) return null;
  return minor !== 0 && (sign === '-' || inBrackets !== undefined) ? -minor : minor;
}

/** Whether a direction or a type says that money went out: it is none of what was received. */
export function isOutgoing(cell: string): boolean {
  return /^\s*(?:dr|debit|d|out|outgoing|withdrawal|withdraw)\b/i.test(cell);
}

/**
 * A day as it may be meant: `03/04/2026` is the third of April in Bangladesh, and the fourth of March in some
 * exports.
 */
export interface WrittenDay {
  readonly dayFirst: string | null;
  readonly monthFirst: string | null;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/**
 * The day of a cell, whatever time of day stands with it; null when there is none. An instant with a zone is read by
 * the caller.
 */
export function readDay(cell: string): WrittenDay | null {
  const text = latinDigits(cell).trim();
  const iso = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/.exec(text);
  if (iso) return sure(dayFrom(iso[1], iso[2], iso[3]));
  const compact = /^(20\d{2})(\d{2})(\d{2})(?:\d{4,6})?(?!\d)/.exec(text);
  if (compact) return sure(dayFrom(compact[1], compact[2], compact[3]));
  const named = /^(\d{1,2})(?:st|nd|rd|th)?[-/.,\s]*([a-z]{3})[a-z]*[-/.,\s]*(\d{4}|\d{2})(?!\d)/i.exec(text);
  if (named) return sure(dayFrom(named[3], monthOf(named[2]), named[1]));
  const american = /^([a-z]{3})[a-z]*[-/.,\s]*(\d{1,2})(?:st|nd|rd|th)?[-/.,\s]+(\d{4})(?!\d)/i.exec(text);
  if (american) return sure(dayFrom(american[3], monthOf(american[1]), american[2]));
  const numbers = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})(?!\d)/.exec(text);
  if (!numbers) return null;
  const [, one, two, year] = numbers;
  const day = { dayFirst: dayFrom(year, two, one), monthFirst: dayFrom(year, one, two) };
  return day.dayFirst === null && day.monthFirst === null ? null : day;
}

function sure(day: string | null): WrittenDay | null {
  return day === null ? null : { dayFirst: day, monthFirst: day };
}

function monthOf(name = ''): string {
  return String(MONTHS.indexOf(name.toLowerCase()) + 1);
}

function dayFrom(year = '', month = '', day = ''): string | null {
  const whole = `${year.length === 2 ? `20${year}` : year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isDay(whole) ? whole : null;
}

/** First and last day. */
export interface DaySpan {
  readonly first: string;
  readonly last: string;
}

/**
 * The days of a whole statement. Where days and months could be meant either way, a file is read in one way: the day
 * first unless that is impossible in some line.
 */
export class StatementDays {
  private readonly spans: Record<keyof WrittenDay, DaySpan | null> = { dayFirst: null, monthFirst: null };
  private readonly impossible = { dayFirst: false, monthFirst: false };

  add(day: WrittenDay): void {
    for (const way of ['dayFirst', 'monthFirst'] as const) {
      const written = day[way];
      if (written === null) this.impossible[way] = true;
      else this.spans[way] = widened(this.spans[way], written);
    }
  }

  /** Null when no line had a day, or they fit together in neither way. */
  span(): DaySpan | null {
    if (!this.impossible.dayFirst) return this.spans.dayFirst;
    return this.impossible.monthFirst ? null : this.spans.monthFirst;
  }
}

function widened(span: DaySpan | null, day: string): DaySpan {
  if (span === null) return { first: day, last: day };
  return { first: day < span.first ? day : span.first, last: day > span.last ? day : span.last };
}
