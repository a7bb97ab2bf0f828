/** Bangladesh is UTC+6 all year. */
export const TIME_ZONE = 'Asia/Dhaka';
const OFFSET_MS = 6 * 60 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** A day of the shop's calendar, from its first to its last millisecond; null for what is no day. */
export function dayOf(text: string): { readonly from: Date; readonly to: Date } | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const midnight = Date.parse(`${text}T00:00:00.000Z`);
  if (Number.isNaN(midnight)) return null;
  const from = midnight - OFFSET_MS;
  return { from: new Date(from), to: new Date(from + DAY_MS - 1) };
}

/** The last days of the calendar, today's the last: `2026-11-21`. */
export function lastDays(now: Date, count: number): string[] {
  return Array.from({ length: count }, (_day, index) =>
    new Date(now.getTime() + OFFSET_MS - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
}
