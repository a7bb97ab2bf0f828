import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeEventCursor, encodeEventCursor } from './event-cursor.js';

describe('event cursors', () => {
  it('come back as they were', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), (position) => {
        expect(decodeEventCursor(encodeEventCursor(position))).toEqual({ position });
      }),
    );
  });

  it('may be the id of an event, in any case', () => {
    const eventId = '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55';
    expect(decodeEventCursor(eventId.toUpperCase())).toEqual({ eventId });
  });

  it('are refused when this service has not written them', () => {
    const forged = ['p.', 'p.-1', 'p.1.5', 'p.9223372036854775808', 'p.007', 'q.1', 'p.1\n'].map((text) =>
      Buffer.from(text).toString('base64url'),
    );
    for (const text of [
      ...forged,
      '',
      'p.1',
      `${encodeEventCursor(5n)}=`,
      '\u0000',
      '%00',
      'x'.repeat(200),
    ]) {
      expect(decodeEventCursor(text)).toBeNull();
    }
  });

  it('never throw', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void decodeEventCursor(text)));
  });
});
