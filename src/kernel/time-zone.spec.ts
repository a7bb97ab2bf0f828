import { describe, expect, it } from 'vitest';
import { dayAt, isTimeZone, lastDays, spanOfDay, wallTime } from './time-zone.js';

describe('time zones', () => {
  it.each(['Asia/Dhaka', 'UTC', 'America/Argentina/Buenos_Aires', 'Etc/GMT+6', 'America/Port-au-Prince'])(
    'knows %s',
    (name) => expect(isTimeZone(name)).toBe(true),
  );

  it.each(['', 'Dhaka', '+06:00', 'Asia/Dhaka; drop', 'Asia/', 'GMT+6:30'])('refuses %j', (name) =>
    expect(isTimeZone(name)).toBe(false),
  );

  it('shows what a clock there shows', () => {
    const evening = new Date('2026-11-21T18:30:05Z');
    expect(wallTime(evening, 'Asia/Dhaka').toISOString()).toBe('2026-11-22T00:30:05.000Z');
    expect(dayAt(evening, 'Asia/Dhaka')).toBe('2026-11-22');
    expect(dayAt(evening, 'America/New_York')).toBe('2026-11-21');
  });

  it('gives the span of a day, whatever the clock does in its night', () => {
    expect(spanOfDay('2026-11-21', 'Asia/Dhaka')).toEqual({
      from: new Date('2026-11-20T18:00:00.000Z'),
      to: new Date('2026-11-21T17:59:59.999Z'),
    });
    const hoursOf = (day: string, zone: string) => {
      const { from, to } = spanOfDay(day, zone) ?? { from: new Date(0), to: new Date(0) };
      return (to.getTime() + 1 - from.getTime()) / 3_600_000;
    };
    expect(hoursOf('2026-03-29', 'Europe/Berlin')).toBe(23);
    expect(hoursOf('2026-10-25', 'Europe/Berlin')).toBe(25);
    // Here summer time begins at midnight: the day has no first hour.
    expect(hoursOf('2026-04-24', 'Africa/Cairo')).toBe(23);
    expect(spanOfDay('2026-04-24', 'Africa/Cairo')?.from.toISOString()).toBe('2026-04-23T22:00:00.000Z');
  });

  it.each(['2026-02-30', '21.11.2026', '2026-1-1', '2026-13-01', ''])('takes %j for no day', (text) =>
    expect(spanOfDay(text, 'Asia/Dhaka')).toBeNull(),
  );

  it('counts back from today there', () => {
    expect(lastDays(new Date('2026-11-21T18:30:00Z'), 2, 'Asia/Dhaka')).toEqual(['2026-11-21', '2026-11-22']);
    expect(lastDays(new Date('2026-11-21T18:30:00Z'), 1, 'UTC')).toEqual(['2026-11-21']);
  });
});
