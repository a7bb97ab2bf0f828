const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The characters of names in the time zone database; offsets (`+06:00`) are no names, and mean different things in
 * different places.
 */
const ZONE_NAME = /^[A-Za-z]+(?:[_+-]?[A-Za-z0-9]+)*(?:\/[A-Za-z0-9]+(?:[_+-][A-Za-z0-9]+)*)*$/;

const formats = new Map<string, Intl.DateTimeFormat>();

/** A name of the IANA time zone database, such as `Asia/Dhaka`. */
export function isTimeZone(name: string): boolean {
  if (!ZONE_NAME.test(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/** Clocks are set at whole quarters of an hour of the universal time. */
const QUARTER_MS = 900_000;
const MAX_KNOWN_SHIFTS = 1_000;
/**
 * How far the clocks of a zone are ahead in a quarter of an hour that was asked for lately, in milliseconds: asking
 * costs much.
 */
const shifts = new Map<string, number>();

/** The wall time of an instant in this zone, as the UTC fields of a date, in whole seconds. */
export function wallTime(instant: Date, timeZone: string): Date {
  const second = Math.floor(instant.getTime() / 1_000) * 1_000;
  const quarter = `${timeZone} ${Math.floor(second / QUARTER_MS)}`;
  const known = shifts.get(quarter);
  if (known !== undefined) return new Date(second + known);
  const wall = readWallTime(instant, timeZone);
  if (shifts.size >= MAX_KNOWN_SHIFTS) shifts.clear();
  shifts.set(quarter, wall.getTime() - second);
  return wall;
}

function readWallTime(instant: Date, timeZone: string): Date {
  const parts = formatOf(timeZone).formatToParts(instant);
  const part = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((candidate) => candidate.type === type)?.value ?? 0);
  return new Date(
    Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second')),
  );
}

/** The day that an instant lies on, in this zone: `2026-11-21`. */
export function dayAt(instant: Date, timeZone: string): string {
  return wallTime(instant, timeZone).toISOString().slice(0, 10);
}

/** A day of the calendar: `2026-11-21`. */
export function isDay(text: string): boolean {
  return midnightOf(text) !== null;
}

/** A day of this zone's calendar (`2026-11-21`), from its first to its last millisecond; null for what is no day. */
export function spanOfDay(text: string, timeZone: string): { readonly from: Date; readonly to: Date } | null {
  const midnight = midnightOf(text);
  if (midnight === null) return null;
  const from = startOfDay(midnight, timeZone);
  return { from, to: new Date(startOfDay(midnight + DAY_MS, timeZone).getTime() - 1) };
}

/** The last days of the calendar, today's the last. */
export function lastDays(now: Date, count: number, timeZone: string): string[] {
  const today = Date.parse(`${dayAt(now, timeZone)}T00:00:00.000Z`);
  return Array.from({ length: count }, (_day, index) =>
    new Date(today - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
}

function midnightOf(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const midnight = Date.parse(`${text}T00:00:00.000Z`);
  // `2026-02-30` is read as the second of March.
  return Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== text ? null : midnight;
}

/**
 * The first instant whose clock shows this day: where summer time begins at midnight, that is an hour later on the
 * clock.
 */
function startOfDay(midnight: number, timeZone: string): Date {
  const shiftAt = (at: number) => wallTime(new Date(at), timeZone).getTime() - at;
  // A day on either side, the clock is set as it is before, and as it is after any change of this night.
  const [before, after] = [midnight - shiftAt(midnight - DAY_MS), midnight - shiftAt(midnight + DAY_MS)];
  const exact = [before, after].filter((at) => at + shiftAt(at) === midnight);
  return new Date(exact.length === 0 ? before : Math.min(...exact));
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
    timeZone,
    hourCycle: 'h23',
    ...({ year: 'numeric', month: '2-digit', day: '2-digit' } as const),
    ...({ hour: '2-digit', minute: '2-digit', second: '2-digit' } as const),
  });
  formats.set(timeZone, format);
  return format;
}
