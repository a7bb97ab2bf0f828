import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { violationsOf } from './conformance.js';
import { readMessage } from '../reader/message-reader.js';
import type { AccountType, MessageSample } from '../wallet.js';
import { findWallet, WALLETS } from '../wallet-registry.js';

/*
 * Goal: every message that was ever published is read with all its fields, nothing that was made of one is read as
 * something else, and no text takes long. Method: the suite that extensions run, too; then random texts made of the
 * words of real ones, with the characters counted that were looked at.
 */

const samples: readonly MessageSample[] = WALLETS.list().flatMap(({ messages }) => messages?.samples ?? []);

const read = (sender: string, text: string, types: readonly AccountType[], meter = { steps: 0 }) =>
  readMessage({ sender, text, accountTypesOf: () => types, offers: () => true }, WALLETS.list(), meter);

describe('the suite', () => {
  it.each(WALLETS.list().map((wallet) => [wallet.code, wallet] as const))(
    'is held by %s',
    (_code, wallet) => {
      expect(violationsOf(wallet)).toEqual([]);
    },
  );

  it('finds a rule that forgets where a message ends', () => {
    const bkash = findWallet('bkash');
    if (bkash?.messages == null) throw new Error('bKash has messages.');
    const careless = bkash.messages.rules.map((rule) =>
      rule.name === 'send_money'
        ? {
            ...rule,
            rests: ['.{ref}', '. {promotion}'].map(
              (end) => `.·Fee {fee}. Balance {balance}. TrxID {trxId}${end}`,
            ),
          }
        : rule,
    );
    const wallet = { ...bkash, messages: { ...bkash.messages, rules: careless } };
    expect(violationsOf(wallet)).not.toEqual([]);
  });
});

describe('any text', () => {
  const words = [...new Set(samples.flatMap(({ text }) => text.split(/(?<=[ .:])/)))];
  const text = fc.array(fc.constantFrom(...words, 'Ref ', '. Fee Tk 0.00.', 'Tk ', '9'.repeat(40), ' '), {
    maxLength: 400,
  });

  it('takes steps in proportion to its length', () => {
    fc.assert(
      fc.property(fc.constantFrom('bKash', 'NAGAD', '16216', 'upay'), text, (sender, parts) => {
        const joined = parts.join('').slice(0, 4_000);
        const meter = { steps: 0 };
        read(sender, joined, ['personal'], meter);
        expect(meter.steps).toBeLessThan(60_000 + 60 * joined.length);
      }),
      { numRuns: 500 },
    );
  });

  it('takes no more steps where everything looks like the end of a message', () => {
    const tail = '. Fee Tk 0.00. Balance Tk 9,999.00. TrxID DGB2AC4RC9 at 11/07/2026 21:4';
    const steps = [10, 20, 40].map((times) => {
      const meter = { steps: 0 };
      read(
        'bKash',
        `You have received Tk 10.00 from 01700000001. Ref ${tail.repeat(times)}`,
        ['personal'],
        meter,
      );
      return meter.steps;
    });
    const [short = 0, , long = 0] = steps;
    expect(long - short).toBeLessThan(30 * 30 * tail.length);
  });

  it('is no receipt unless the whole of it is one', () => {
    const amounts = new Map(samples.map(({ text: known }) => [known, true]));
    fc.assert(
      fc.property(fc.constantFrom('bKash', 'NAGAD', '16216', 'upay'), text, (sender, parts) => {
        const joined = parts.join('');
        const reading = read(sender, joined, ['personal']);
        if (reading.status !== 'receipt' || amounts.has(joined)) return;
        expect(joined).toContain(reading.fields.trxId);
      }),
    );
  });
});
