import 'reflect-metadata';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../kernel/domain-error.js';
import { DECORATORS } from '@nestjs/swagger';
import { Amount, Flag, Instant, Integer, ListOf, Nested, OneOf, Pattern, Text } from './fields.js';
import { strictValidation } from './validation.js';

class Wallet {
  @Text({ max: 3 })
  code!: string;
}

class Body {
  @Text({ max: 5, minLength: 1, example: 'Saree', description: 'Its name.' })
  title!: string;

  @Text({ max: 5, nullable: true })
  note?: string | null;

  @Text({ max: 5, optional: true })
  name?: string;

  @Text({ blank: true })
  anything!: string;

  @Pattern(/^[a-z]+$/, 'must be lower-case letters', { nullable: true })
  slug?: string | null;

  @Amount({ optional: true })
  amount?: number;

  @Integer({ min: 1, max: 9, nullable: true })
  count?: number | null;

  @Instant({ optional: true })
  at?: string;

  @Flag({ optional: true, default: false })
  active?: boolean;

  @OneOf(['in', 'out'], { optional: true })
  kind?: string;

  @Nested(Wallet, { optional: true })
  wallet?: Wallet;

  @ListOf(Wallet, { max: 2, optional: true })
  wallets?: Wallet[];
}

const GOOD = { title: 'Saree', anything: '' };

/** `pointer: sentence` of each place that is refused. */
async function refusals(body: object): Promise<string[]> {
  try {
    await strictValidation().transform(body, { type: 'body', metatype: Body });
    return [];
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return (error.errors ?? []).map(({ pointer, detail }) => `${pointer}: ${detail}`);
  }
}

describe('a field of a body', () => {
  it('takes what its rule allows', async () => {
    const full = {
      ...{ note: null, name: 'রহিম', slug: 'abc', amount: 0.01, count: 9, at: '2026-11-21T08:20Z' },
      ...{ active: true, kind: 'in', wallet: { code: 'abc' }, wallets: [{ code: 'a' }, { code: 'b' }] },
    };
    expect(await refusals({ ...GOOD, ...full })).toEqual([]);
  });

  it.each([
    [{ title: 5 }, '/title: must be a string'],
    [{ title: ' ' }, '/title: must not be empty'],
    [{ title: 'Sarees' }, '/title: must not be longer than 5 characters'],
    [{ note: 'Sarees' }, '/note: must not be longer than 5 characters'],
    [{ name: null }, '/name: must be a string'],
    [{ slug: 'A' }, '/slug: must be lower-case letters'],
    [
      { amount: '5' },
      '/amount: must be a number more than 0 and at most 99999999.99, with at most two decimals',
    ],
    [{ count: 1.5 }, '/count: must be an integer number'],
    [{ count: 10 }, '/count: must not be greater than 9'],
    [{ count: 0 }, '/count: must not be less than 1'],
    [{ at: '21 November' }, '/at: must be an ISO 8601 time with its zone, such as 2026-11-21T08:20:09.123Z'],
    [{ active: 'yes' }, '/active: must be a boolean value'],
    [{ kind: 'up' }, '/kind: must be one of the following values: in, out'],
    [{ wallet: { code: 'abcd' } }, '/wallet/code: must not be longer than 3 characters'],
    [{ wallet: [] }, '/wallet: must be an object'],
    [{ wallets: [{ code: 'abcd' }] }, '/wallets/0/code: must not be longer than 3 characters'],
    [{ wallets: [{}, {}, {}] }, '/wallets: must contain no more than 2 elements'],
    [{ other: 1 }, '/other: is not a known field'],
  ])('refuses %j', async (change, sentence) => {
    expect(await refusals({ ...GOOD, ...change })).toEqual([sentence]);
  });

  it('stands in the API document with the same limits', () => {
    const described = (name: string): unknown =>
      Reflect.getMetadata(DECORATORS.API_MODEL_PROPERTIES, Body.prototype, name);
    expect(described('title')).toMatchObject({
      ...{ required: true, minLength: 1, maxLength: 5, example: 'Saree', description: 'Its name.' },
    });
    expect(described('note')).toMatchObject({ required: false, nullable: true, type: String, maxLength: 5 });
    expect(described('name')).toMatchObject({ required: false, maxLength: 5 });
    expect(described('name')).not.toHaveProperty('nullable');
    expect(described('slug')).toMatchObject({ pattern: '^[a-z]+$' });
    expect(described('count')).toMatchObject({ type: 'integer', minimum: 1, maximum: 9 });
    expect(described('at')).toMatchObject({ format: 'date-time' });
    expect(described('active')).toMatchObject({ default: false });
    expect(described('kind')).toMatchObject({ enum: ['in', 'out'] });
    expect(described('wallets')).toMatchObject({ isArray: true, type: Wallet, maxItems: 2 });
  });
});
