import { ValidateBy, type ValidationOptions } from 'class-validator';
import { parseDurationMs } from '../../../kernel/duration.js';
import { minorFromNumber } from '../../../kernel/money.js';

/** A JSON number of money: more than 0, at most 99,999,999.99, at most two decimals (contract 1.8). */
export function IsMoney(options?: ValidationOptions): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isMoney',
      validator: {
        validate: (value: unknown) => minorFromNumber(value) !== null,
        defaultMessage: () =>
          'must be a number more than 0 and at most 99999999.99, with at most two decimals',
      },
    },
    options,
  );
}

/** An address that a browser may be sent to: http or https, nothing that runs as a script. */
export function IsWebAddress(options?: ValidationOptions): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isWebAddress',
      validator: {
        validate: (value: unknown) =>
          typeof value === 'string' &&
          /^https?:\/\//i.test(value) &&
          URL.canParse(value) &&
          !/[\s\u0000-\u001f]/.test(value),
        defaultMessage: () => 'must be an http or https address',
      },
    },
    options,
  );
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})$/i;

/** Whether the month has such a day, in a text that begins as `2026-02-30`: `Date` takes 30 February for 2 March. */
export function beginsWithDay(text: string): boolean {
  const day = Number(text.slice(8, 10));
  return day <= DAYS_OF_ANY_MONTH || day <= daysOf(Number(text.slice(0, 4)), Number(text.slice(5, 7)));
}

const DAYS_OF_ANY_MONTH = 28;

const daysOf = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate();

/** Reads an ISO 8601 instant with its zone, of the years 1 to 9999; null when it is none, or no such day exists. */
export function parseInstant(value: unknown): Date | null {
  if (typeof value !== 'string' || !INSTANT.test(value)) return null;
  const at = new Date(value);
  if (Number.isNaN(at.getTime())) return null;
  if (!beginsWithDay(value)) return null;
  const year = at.getUTCFullYear();
  return year >= 1 && year <= 9_999 ? at : null;
}

/** An ISO 8601 instant with its zone. */
export function IsInstant(options?: ValidationOptions): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isInstant',
      validator: {
        validate: (value: unknown) => parseInstant(value) !== null,
        defaultMessage: () => 'must be an ISO 8601 time with its zone, such as 2026-11-21T08:20:09.123Z',
      },
    },
    options,
  );
}

/** A duration such as `250ms`, `8s`, `10m`, `24h` or `30d` (contract 8.12). */
export function IsDuration(options?: ValidationOptions): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isDuration',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && parseDurationMs(value) !== null,
        defaultMessage: () => 'must be a duration of at most 400 days, such as 10m, 1h or 2d',
      },
    },
    options,
  );
}
