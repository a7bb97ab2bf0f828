import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../kernel/domain-error.js';
import { newId } from '../../kernel/ids.js';
import {
  decodeCursor,
  DEFAULT_PAGE_SIZE,
  encodeCursor,
  MAX_PAGE_SIZE,
  pageOf,
  type PagePosition,
  PageQuery,
  queryInteger,
} from './page.js';

/*
 * Rules: contract 1.28, 1.29, 1.32.
 *
 * Goal: who follows `nextCursor` sees every row once and stops, and a cursor that we have not written is a 400
 * (contract 1.29). Method: query strings as they arrive; cursors there and back, and forged; a whole list walked page
 * by page.
 */

const ID = '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55';
const FIRST_MS = Date.UTC(2026, 10, 21);

describe('PageQuery', () => {
  const parse = (query: Record<string, unknown>) => {
    const parsed = plainToInstance(PageQuery, query);
    return { ...parsed, problems: validateSync(parsed).map(({ property }) => property) };
  };

  it('asks for 20 from the beginning when nothing is said', () => {
    expect([DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE]).toEqual([20, 100]);
    expect(parse({})).toEqual({ limit: 20, problems: [] });
  });

  it.each(['1', '20', '100', '007'])('takes the limit %s', (limit) => {
    expect(parse({ limit })).toEqual({ limit: Number(limit), problems: [] });
  });

  it.each(['0', '101', '-1', '1.5', '1e2', '0x10', ' 1', '', 'ten', '1234567890', ['1'], ['1', '2']])(
    'refuses the limit %j',
    (limit) => {
      expect(parse({ limit }).problems).toEqual(['limit']);
    },
  );

  it('takes a text of at most 200 characters as a cursor', () => {
    expect(parse({ cursor: 'x'.repeat(200) }).problems).toEqual([]);
    expect(parse({ cursor: 'x'.repeat(201) }).problems).toEqual(['cursor']);
    expect(parse({ cursor: ['a', 'b'] }).problems).toEqual(['cursor']);
  });
});

describe('queryInteger', () => {
  it.each([
    ['12', 12],
    ['0', 0],
    ['123456789', 123_456_789],
    ['1234567890', '1234567890'],
    ['12x', '12x'],
    ['x12', 'x12'],
    ['', ''],
    [undefined, undefined],
    [['12'], ['12']],
    [7, 7],
  ])('%j → %j', (value, expected) => {
    expect(queryInteger({ value })).toEqual(expected);
  });
});

describe('cursors', () => {
  const anyPosition = fc.record({
    at: fc.date({ min: new Date(0), max: new Date('2199-12-31'), noInvalidDate: true }),
    id: fc.uuid(),
  });

  it('come back as they were, and fit into an address', () => {
    fc.assert(
      fc.property(anyPosition, (position) => {
        const cursor = encodeCursor(position);
        expect(cursor).toMatch(/^[A-Za-z0-9_-]{1,200}$/);
        expect(decodeCursor(cursor)).toEqual(position);
      }),
    );
  });

  it('are not needed for the first page', () => {
    expect(decodeCursor(undefined)).toBeNull();
  });

  it.each([
    ['an empty one', ''],
    ['nonsense', 'nonsense'],
    ['the plain text', `${FIRST_MS}.${ID}`],
    ...[
      '.',
      `.${ID}`,
      `${FIRST_MS}.`,
      `-1.${ID}`,
      `1.5.${ID}`,
      `1e3.${ID}`,
      `${FIRST_MS}.${ID}x`,
      `x${FIRST_MS}.${ID}`,
      `${FIRST_MS}.${'-'.repeat(36)}`,
      `${FIRST_MS}.${ID.toUpperCase()}`,
      `${FIRST_MS}x${ID}`,
      `0${FIRST_MS}.${ID}`,
      `1000000000000000.${ID}`,
    ].map((text) => [`one of ${text}`, Buffer.from(text).toString('base64url')]),
    ['one with padding', `${encodeCursor({ at: new Date(FIRST_MS), id: ID })}=`],
    ['one with a blank', ` ${encodeCursor({ at: new Date(FIRST_MS), id: ID })}`],
  ])('are refused when this service has not written them: %s', (_what, cursor) => {
    const decode = () => decodeCursor(cursor);
    expect(decode).toThrow(DomainError);
    expect(decode).toThrow(
      expect.objectContaining({
        kind: 'invalid',
        code: 'request.invalid',
        errors: [{ pointer: '/cursor', detail: 'is not a cursor of this service' }],
      }),
    );
  });

  it('have one spelling: whatever can be read is what would be written', () => {
    fc.assert(
      fc.property(
        anyPosition,
        fc.nat(),
        fc.constantFrom('A', 'B', 'w', '_', '='),
        (position, index, letter) => {
          const cursor = encodeCursor(position);
          const at = index % (cursor.length + 1);
          const forged = cursor.slice(0, at) + letter + cursor.slice(at + 1);
          try {
            const read = decodeCursor(forged);
            expect(read === null ? null : encodeCursor(read)).toBe(forged);
          } catch (error) {
            expect(error).toBeInstanceOf(DomainError);
          }
        },
      ),
    );
  });
});

describe('pageOf', () => {
  interface Row extends PagePosition {
    readonly number: number;
  }
  const rows = (count: number): Row[] =>
    Array.from({ length: count }, (_, number) => ({ number, at: new Date(FIRST_MS - number), id: newId() }));
  const page = (asked: readonly Row[], limit: number) =>
    pageOf(
      asked,
      limit,
      ({ at, id }) => ({ at, id }),
      ({ number }) => number,
    );

  it('shows what was asked for, and points behind the last row that it shows', () => {
    const asked = rows(3);
    expect(page(asked, 2)).toEqual({ data: [0, 1], nextCursor: encodeCursor(asked[1]!) });
  });

  it('points nowhere when there is no more', () => {
    expect(page(rows(2), 2)).toEqual({ data: [0, 1], nextCursor: null });
    expect(page(rows(1), 2)).toEqual({ data: [0], nextCursor: null });
    expect(page([], 2)).toEqual({ data: [], nextCursor: null });
  });

  it('leads through a whole list, each row once', () => {
    fc.assert(
      fc.property(fc.nat(40), fc.integer({ min: 1, max: 7 }), (count, limit) => {
        const all = rows(count);
        const seen: number[] = [];
        let position: PagePosition | null = null;
        for (let pages = 0; pages <= count; pages += 1) {
          const behind: PagePosition | null = position;
          const from = behind === null ? 0 : all.findIndex(({ id }) => id === behind.id) + 1;
          const { data, nextCursor } = page(all.slice(from, from + limit + 1), limit);
          seen.push(...data);
          if (nextCursor === null) break;
          position = decodeCursor(nextCursor);
        }
        expect(seen).toEqual(all.map(({ number }) => number));
      }),
    );
  });
});
