import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { metadataProblems, productsProblems } from './merchant-json.js';

/*
 * Rules: contract 1.17, 3.3 to 3.5.
 *
 * Goal: a merchant's own JSON is kept when it is within the limits of contract 1.17 and 3.3, and a refusal points at
 * the place. Method: each limit from both sides, with characters that take two UTF-16 units; then every list within
 * the limits.
 */

const product = (changes: Record<string, unknown> = {}) => ({
  name: 'Book',
  quantity: 1,
  price: 500,
  ...changes,
});
const pointers = (problems: readonly { pointer: string }[]) => problems.map(({ pointer }) => pointer);

describe('productsProblems', () => {
  it.each([
    ['an empty list', []],
    ['further keys', [product({ sku: 'x', nested: { price: -1 }, name2: null })]],
    ['100 items', Array.from({ length: 100 }, () => product())],
    ['a name of 300 characters', [product({ name: '\u{1f4da}'.repeat(300) })]],
    ['a name without characters', [product({ name: '' })]],
    ['the largest quantity', [product({ quantity: Number.MAX_SAFE_INTEGER })]],
    ['nothing to pay', [product({ price: 0 })]],
    ['a price with many decimals', [product({ price: 0.333333 })]],
    ['the largest price', [product({ price: 99_999_999.99 })]],
  ])('takes %s', (_what, products) => {
    expect(productsProblems(products)).toEqual([]);
  });

  it.each([
    ['text', 'book'],
    ['an object', { 0: product() }],
    ['null', null],
    ['nothing', undefined],
  ])('refuses %s instead of a list', (_what, products) => {
    expect(productsProblems(products)).toEqual([{ pointer: '/products', detail: 'must be an array' }]);
  });

  it('refuses item 101, once, whatever the items are', () => {
    const items = Array.from({ length: 101 }, () => null);
    expect(productsProblems(items)).toEqual([
      { pointer: '/products', detail: 'must not hold more than 100 items' },
    ]);
  });

  it.each([['text'], [7], [null], [[]], [undefined], [true]])('refuses %j instead of an item', (item) => {
    expect(productsProblems([product(), item])).toEqual([
      { pointer: '/products/1', detail: 'must be an object' },
    ]);
  });

  const NAME = { pointer: '/products/0/name', detail: 'must be a text of at most 300 characters' };
  const QUANTITY = { pointer: '/products/0/quantity', detail: 'must be a whole number of at least 1' };
  const PRICE = { pointer: '/products/0/price', detail: 'must be a number from 0 to 99999999.99' };

  it.each([
    [{ name: undefined }, NAME],
    [{ name: 7 }, NAME],
    [{ name: ['Book'] }, NAME],
    [{ name: 'x'.repeat(301) }, NAME],
    [{ quantity: 0 }, QUANTITY],
    [{ quantity: -1 }, QUANTITY],
    [{ quantity: 1.5 }, QUANTITY],
    [{ quantity: '1' }, QUANTITY],
    [{ quantity: 2 ** 53 }, QUANTITY],
    [{ quantity: undefined }, QUANTITY],
    [{ price: -0.01 }, PRICE],
    [{ price: 100_000_000 }, PRICE],
    [{ price: '500' }, PRICE],
    [{ price: null }, PRICE],
    [{ price: Number.NaN }, PRICE],
    [{ price: Number.POSITIVE_INFINITY }, PRICE],
  ])('refuses an item with %j', (changes, problem) => {
    expect(productsProblems([product(changes)])).toEqual([problem]);
  });

  it('names everything that is wrong, item by item', () => {
    expect(pointers(productsProblems([{}, product(), product({ price: 'x', name: 1 })]))).toEqual([
      '/products/0/name',
      '/products/0/quantity',
      '/products/0/price',
      '/products/2/name',
      '/products/2/price',
    ]);
  });

  it('takes every list within the limits', () => {
    const item = fc
      .record({
        name: fc.string({ unit: 'grapheme', maxLength: 40 }),
        quantity: fc.integer({ min: 1 }),
        price: fc.double({ min: 0, max: 99_999_999.99, noNaN: true }),
      })
      .chain((known) => fc.dictionary(fc.string(), fc.jsonValue()).map((more) => ({ ...more, ...known })));
    fc.assert(
      fc.property(fc.array(item, { maxLength: 100 }), (items) => {
        expect(productsProblems(items)).toEqual([]);
      }),
    );
  });
});

describe('metadataProblems', () => {
  const keys = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, index]));
  const VALUE = 'must be a number, true, false, or a text of at most 500 characters';

  it.each([
    ['nothing', {}],
    ['20 keys', keys(20)],
    ['a key of 40 characters', { ['\u{1f4da}'.repeat(40)]: 1 }],
    ['a text of 500 characters', { note: '\u{1f4da}'.repeat(500) }],
    ['text, numbers and booleans', { a: '', b: 0, c: -1.5, d: true, e: false }],
  ])('takes %s', (_what, metadata) => {
    expect(metadataProblems(metadata)).toEqual([]);
  });

  it.each([[null], [[]], ['text'], [7], [undefined]])('refuses %j instead of an object', (metadata) => {
    expect(metadataProblems(metadata)).toEqual([{ pointer: '/metadata', detail: 'must be an object' }]);
  });

  it('refuses key 21', () => {
    expect(metadataProblems(keys(21))).toEqual([
      { pointer: '/metadata', detail: 'must not hold more than 20 keys' },
    ]);
  });

  it('refuses a key of 41 characters, and does not look at its value', () => {
    const key = 'k'.repeat(41);
    expect(metadataProblems({ [key]: null })).toEqual([
      { pointer: `/metadata/${key}`, detail: 'must not have a key longer than 40 characters' },
    ]);
  });

  it.each([[null], [{}], [[1]], ['x'.repeat(501)], [undefined], [Number.NaN], [Number.POSITIVE_INFINITY]])(
    'refuses the value %j',
    (value) => {
      expect(metadataProblems({ orderId: value })).toEqual([{ pointer: '/metadata/orderId', detail: VALUE }]);
    },
  );

  it('points at a key as RFC 6901 spells it', () => {
    expect(pointers(metadataProblems({ 'a/b~c': null, fine: 1, '': null }))).toEqual([
      '/metadata/a~1b~0c',
      '/metadata/',
    ]);
  });
});
