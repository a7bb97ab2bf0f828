import { describe, expect, it } from 'vitest';
import { canonicalJson, type ChainedContent, type ChainLink, entryHash } from './audit-chain.js';

const LINK: ChainLink = { position: 2, previousHash: Buffer.alloc(32, 1) };
const CONTENT: ChainedContent = {
  id: '019aa5b1-03d2-7a41-b0a3-6c1f4c0d9a10',
  at: new Date('2026-11-21T08:20:09.123Z'),
  storeId: '019aa5a0-1b2c-7d3e-8f40-5a6b7c8d9e0f',
  actorType: 'user',
  actorId: '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55',
  actorEmail: 'rahima@example.com',
  action: 'store.updated',
  address: '203.0.113.7',
  details: { name: { before: 'A', after: 'B' } },
};

describe('the hash of an entry', () => {
  it('never changes: entries that were written must verify for ever', () => {
    expect(entryHash(LINK, CONTENT).toString('hex')).toBe(
      '1192095ac993a6a537e03541f9631dfef14d99f3e647082f87868e852207d29d',
    );
  });

  it.each<[string, Partial<ChainedContent>]>([
    ['id', { id: '019aa5b1-03d2-7a41-b0a3-6c1f4c0d9a11' }],
    ['time', { at: new Date('2026-11-21T08:20:09.124Z') }],
    ['store', { storeId: null }],
    ['actor type', { actorType: 'system' }],
    ['actor', { actorId: null }],
    ['e-mail address', { actorEmail: 'karim@example.com' }],
    ['action', { action: 'store.archived' }],
    ['address', { address: null }],
    ['details', { details: { name: { before: 'A', after: 'C' } } }],
  ])('depends on its %s', (_what, change) => {
    expect(entryHash(LINK, { ...CONTENT, ...change }).equals(entryHash(LINK, CONTENT))).toBe(false);
  });

  it('depends on its place and on the entry before it', () => {
    const hashes = [LINK, { ...LINK, position: 3 }, { ...LINK, previousHash: Buffer.alloc(32, 2) }].map(
      (link) => entryHash(link, CONTENT).toString('hex'),
    );
    expect(new Set(hashes).size).toBe(3);
  });
});

describe('canonical JSON', () => {
  it('does not depend on the order of keys, at any depth', () => {
    const left = { b: [{ y: 1, x: null }], a: 'ৎ', 10: 1, 9: 2 };
    const right = { 9: 2, 10: 1, a: 'ৎ', b: [{ x: null, y: 1 }] };
    expect(canonicalJson(left)).toBe(canonicalJson(right));
  });

  it('keeps apart what is different', () => {
    const values = [
      {},
      [],
      null,
      '',
      0,
      false,
      { a: {} },
      { a: [] },
      { a: null },
      ['a'],
      { keys: [], values: [] },
    ];
    expect(new Set(values.map(canonicalJson)).size).toBe(values.length);
  });

  it('says what is stored: nothing of undefined, the text of a date', () => {
    expect(canonicalJson({ a: undefined, b: new Date(0) })).toBe(
      canonicalJson({ b: '1970-01-01T00:00:00.000Z' }),
    );
  });
});
