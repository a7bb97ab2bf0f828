/** Bangladesh is UTC+6 all year. */
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
