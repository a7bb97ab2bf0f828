import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

/*
 * Rules: none: who writes which table.
 *
 * Goal: a table can be changed by changing one folder. Only its owner writes it; others read it through the owner's
 * door, or in one of the statements named here, which must decide in one round trip; an extension may read, with the
 * store in the condition. Method: every statement of every source file is looked at.
 */

const OWNERS: Readonly<Record<string, readonly string[]>> = {
  accounts: [
    ...['users', 'sessions', 'refresh_tokens', 'recovery_codes', 'sign_in_addresses', 'sso_accounts'],
    'rate_limits',
  ],
  audit: ['audit_entries'],
  stores: ['stores', 'store_secrets', 'store_states', 'phone_signs', 'store_wallets', 'store_members'],
  events: ['events', 'subscriber_positions', 'subscribers'],
  payments: [
    ...['payments', 'receipts', 'owner_receipts', 'submissions', 'receipt_claims'],
    ...['amount_shortages', 'idempotency_keys', 'refunds'],
  ],
  'payment-links': ['payment_links', 'payment_link_forms'],
  inbound: ['messages'],
  notifications: ['deliveries', 'delivery_attempts', 'delivery_replays'],
};

/** Who reads a table of somebody else's in a statement of its own, and why it must. */
const READERS: readonly { readonly part: string; readonly table: string; readonly why: string }[] = [
  { part: 'database', table: 'store_states', why: 'locks of a store are taken on its own shard' },
  { part: 'audit', table: 'store_states', why: 'the lock of a store’s chain is taken on its own shard' },
  { part: 'audit', table: 'users', why: 'the lock of the users’ chain is taken where the accounts are' },
  {
    part: 'notifications',
    table: 'stores',
    why: 'whether an event can go out is decided where it is written',
  },
  { part: 'notifications', table: 'store_states', why: 'an endpoint that turns is found by the settling' },
  { part: 'notifications', table: 'events', why: 'a delivery is claimed together with its body' },
  { part: 'payments', table: 'stores', why: 'a payment’s id leads to its store' },
  {
    part: 'payments',
    table: 'store_states',
    why: 'the protection counts only what came before the phone was heard',
  },
  { part: 'payments', table: 'phone_signs', why: 'guesses are counted in one statement' },
];

const WRITES = /\b(?:INSERT INTO|UPDATE|DELETE FROM|TRUNCATE)\s+(?:ONLY\s+)?([a-z_]+)/g;
const READS = /\b(?:FROM|JOIN)\s+(?:ONLY\s+)?([a-z_]+)/g;

const ownerOf = new Map(
  Object.entries(OWNERS).flatMap(([part, tables]) => tables.map((table) => [table, part] as const)),
);

/** A feature, or a room of `platform`. */
const partOf = (name: string): string => name.replace(/^platform\//, '').split('/')[0] ?? '';

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
  .map((name) => ({ name, part: partOf(name), text: readFileSync(join('src', name), 'utf8') }));

function tablesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) => match[1] ?? '').filter((table) => ownerOf.has(table));
}

describe('the tables', () => {
  it('are found by this test', () => {
    const written = new Set(files.flatMap(({ text }) => tablesIn(text, WRITES)));
    for (const table of ['payments', 'receipts', 'events', 'deliveries', 'stores', 'users'])
      expect(written.has(table), table).toBe(true);
  });

  it('are all of somebody', () => {
    const schema = readFileSync('migrations/1763700000000-initial-schema.ts', 'utf8');
    const tables = [...schema.matchAll(/CREATE TABLE ([a-z_]+)/g)].map((match) => match[1] ?? '');
    expect(tables.length).toBeGreaterThan(20);
    expect(tables.filter((table) => !ownerOf.has(table))).toEqual([]);
  });

  it('are written by their owner alone', () => {
    const wrong = files.flatMap(({ name, part, text }) =>
      tablesIn(text, WRITES)
        .filter((table) => ownerOf.get(table) !== part)
        .map((table) => `${name} writes ${table}`),
    );
    expect(wrong).toEqual([]);
  });

  it('are read by others only where one statement must decide', () => {
    const wrong = files.flatMap(({ name, part, text }) =>
      tablesIn(text, READS)
        .filter((table) => ownerOf.get(table) !== part && part !== 'extensions')
        .filter((table) => !READERS.some((reader) => reader.part === part && reader.table === table))
        .map((table) => `${name} reads ${table}`),
    );
    expect(wrong).toEqual([]);
  });

  it('are read by extensions with the store in the condition', () => {
    const wrong = files
      .filter(({ part }) => part === 'extensions')
      .flatMap(({ name, text }) =>
        [...text.matchAll(/(['`])((?:(?!\1)[^])*)\1/g)]
          .map((match) => match[2] ?? '')
          .filter((statement) => tablesIn(statement, READS).length > 0 && !/\bstore_id\s*=/.test(statement))
          .map((statement) => `${name}: ${statement.trim().slice(0, 60)}`),
      );
    expect(wrong).toEqual([]);
  });
});
