/**
 * Money inside the service is an integer of minor units (poisha for BDT), carried as a safe `number`: the largest
 * amount is 9,999,999,999 and far below 2^53. Floats exist only at the JSON border (contract 1.9).
 */
export type MinorUnits = number;

export const MIN_AMOUNT_MINOR: MinorUnits = 1;
export const MAX_AMOUNT_MINOR: MinorUnits = 9_999_999_999;

const MINOR_UNITS_PER_UNIT = 100;

/**
 * Reads a JSON number with at most two decimals as minor units, or answers null when it has more, is not finite, or
 * lies outside `[minimum, MAX_AMOUNT_MINOR]`.
 *
 * The check is exact although the input is a float: division of two integers is correctly rounded, so
 * `minor / 100` is the very double that the decimal literal of that amount parses to, and only that one is accepted.
 */
export function minorFromNumber(value: unknown, minimum: MinorUnits = MIN_AMOUNT_MINOR): MinorUnits | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  const minor = Math.round(value * MINOR_UNITS_PER_UNIT);
  if (minor < minimum || minor > MAX_AMOUNT_MINOR) return null;
  return minor / MINOR_UNITS_PER_UNIT === value ? minor : null;
}

/** The JSON number of an amount, for instance 1050 → 10.5. Exact for every amount the service accepts. */
export function numberFromMinor(minor: MinorUnits): number {
  return minor / MINOR_UNITS_PER_UNIT;
}

/** Two decimals and thousands commas, for users: 123456 → `1,234.56`. */
export function formatMinor(minor: MinorUnits): string {
  const sign = minor < 0 ? '-' : '';
  const digits = Math.abs(minor).toString().padStart(3, '0');
  const units = digits.slice(0, -2).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  return `${sign}${units}.${digits.slice(-2)}`;
}
