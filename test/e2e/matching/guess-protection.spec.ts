import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { HOUR_MS, MINUTE_MS } from '../../support/money-clock.js';
import { newTrxId } from '../../support/money-shop.js';
import { useShop } from '../../support/use-shop.js';

/*
 * Rules: contract 4.74 to 4.94.
 *
 * Goal: who guesses digits, or ids that rise like a counter, gets nothing by it, and honest payers lose nothing
 * (contract 4.74 "Guessing protection"). Method: each sentence with its attack and its honest case, over two replicas
 * in turn, with a clock that is moved by hand and a limit of two an hour; what is true of two is true of ten.
 */

const LIMIT = 2;
const WINDOW_MS = 3 * MINUTE_MS;
const TRX_WINDOW_MS = 10 * MINUTE_MS;

const { service, shop } = useShop({ environment: { GUESS_LIMIT: `${LIMIT}/1h` } });
let digitsUsed = 1_000;

beforeEach(async () => {
  digitsUsed = 1_000;
});
afterEach(async () => {
  vi.restoreAllMocks();
});

const nextDigits = (): string => String((digitsUsed += 1));
const phoneWith = (digits: string): string => `0171234${digits}`;

/**
 * A payment for which digits have been entered, which no receipt has: a guess, or an honest payer whose receipt
 * comes.
 */
async function enter(
  body: Record<string, unknown> = {},
  digits = nextDigits(),
): Promise<{ id: string; digits: string }> {
  const { id } = await shop.create(body);
  expect((await shop.submit(id, { last4digit: digits })).status).toBe(202);
  return { id, digits };
}

async function enterMany(count: number, body: Record<string, unknown> = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push((await enter(body)).id);
  return ids;
}

async function hear(): Promise<void> {
  expect((await shop.heartbeat()).status).toBe(204);
}

/** The phone is heard twice, the window of digits apart: what it had to tell has come by then. */
async function hearTwice(): Promise<void> {
  await hear();
  service.clock.advance(WINDOW_MS);
  await hear();
}

/** Guesses that are wrong: their window is over, and the phone has been heard twice since. */
async function wrongEntries(count: number, body: Record<string, unknown> = {}): Promise<string[]> {
  const ids = await enterMany(count, body);
  service.clock.advance(WINDOW_MS + 1);
  await hearTwice();
  return ids;
}

/** Enters digits, sends their receipt, and answers what has become of the payment. */
async function pay(body: Record<string, unknown> = {}, digits = nextDigits()): Promise<string> {
  const { id } = await enter(body, digits);
  await shop.receipt({ last4digit: digits, amount: body['amount'] ?? 500 });
  return shop.stateOf(id);
}

/** As `pay`, the receipt first. */
async function payLate(body: Record<string, unknown> = {}, digits = nextDigits()): Promise<string> {
  const { id } = await shop.create(body);
  await shop.receipt({ last4digit: digits, amount: body['amount'] ?? 500 });
  await shop.submit(id, { last4digit: digits });
  return shop.stateOf(id);
}

const FLAGGED = 'review: flagged';

describe('an submission is wrong', () => {
  it('attack: once its window is over, the phone was heard and no receipt fits: the next guess that hits goes to a user', async () => {
    await wrongEntries(LIMIT);
    expect(await pay()).toBe(FLAGGED);
    expect(await payLate()).toBe(FLAGGED);
  });

  it('honest: fewer than the limit change nothing', async () => {
    await wrongEntries(LIMIT - 1);
    expect(await pay()).toBe('verified');
    expect(await payLate()).toBe('verified');
  });

  it('honest: not before the phone was heard twice after the window, the window apart', async () => {
    await enterMany(LIMIT);
    service.clock.advance(WINDOW_MS + 1);
    // Over for the two, and nothing was heard since: perhaps their receipts wait in the phone.
    expect(await payLate()).toBe('verified');
    service.clock.advance(WINDOW_MS - 2);
    await hear();
    expect(await payLate()).toBe('verified');
    service.clock.advance(2);
    await hear();
    expect(await payLate()).toBe(FLAGGED);
  });

  it('honest: not while the phone says that messages are pending', async () => {
    await enterMany(LIMIT);
    service.clock.advance(WINDOW_MS + 1);
    await hearTwice();
    await shop.heartbeat({ pending: 3 });
    expect(await payLate()).toBe('verified');
    // A heartbeat without `pending` has no backlog.
    await shop.heartbeat();
    expect(await payLate()).toBe(FLAGGED);
    await shop.heartbeat({ pending: 1 });
    expect(await payLate()).toBe('verified');
    await shop.heartbeat({ pending: 0 });
    expect(await payLate()).toBe(FLAGGED);
  });

  it('attack: guesses while the phone was silent for an hour count when its messages come', async () => {
    const receivedAt = service.clock.isoIn(0);
    const victim = nextDigits();
    const guesses = await enterMany(3 * LIMIT);
    const { id } = await enter({}, victim);
    service.clock.advance(HOUR_MS);
    // At the instant of the money seven waited at once; the receipt fits one of them.
    expect((await shop.receipt({ last4digit: victim, receivedAt })).body.status).toBe('matched');
    expect(await shop.stateOf(id)).toBe('verified');
    const second = nextDigits();
    service.clock.advance(-HOUR_MS);
    const late = await enter({}, second);
    await enter();
    service.clock.advance(HOUR_MS);
    await shop.receipt({ last4digit: second, receivedAt });
    expect(await shop.stateOf(late.id)).toBe(FLAGGED);
    expect(await shop.stateOf(guesses[0]!)).toBe('submitted');
  });

  it('honest: twelve payers of a shop whose phone was silent for an hour are all verified', async () => {
    const payers: { id: string; digits: string; receivedAt: string }[] = [];
    for (let index = 0; index < 12; index += 1) {
      payers.push({ ...(await enter()), receivedAt: service.clock.isoIn(0) });
      service.clock.advance(MINUTE_MS);
    }
    service.clock.advance(HOUR_MS);
    for (const [index, { id, digits, receivedAt }] of payers.entries()) {
      await shop.heartbeat({ pending: payers.length - index });
      await shop.receipt({ last4digit: digits, receivedAt });
      expect(await shop.stateOf(id)).toBe('verified');
      // The phone sends its backlog slowly.
      service.clock.advance(MINUTE_MS);
    }
  });

  it.each([
    ['a receipt', () => shop.receipt({ trxId: newTrxId(), amount: 1 })],
    [
      'a message',
      () => shop.http.post('/api/webhooks/joma/sms', { from: 'someone', text: 'hello' }, shop.store.phone),
    ],
    ['a body that cannot be read', () => shop.http.post('/api/webhooks/joma', { app: 1 }, shop.store.phone)],
  ])('hearing is %s, too', async (_what, sign) => {
    await enterMany(LIMIT);
    service.clock.advance(WINDOW_MS + 1);
    await sign();
    service.clock.advance(WINDOW_MS);
    await sign();
    expect(await payLate()).toBe(FLAGGED);
  });

  it('honest: a receipt that comes later takes it from the count', async () => {
    const receivedAt = service.clock.isoIn(0);
    const { id, digits } = await enter();
    await enterMany(LIMIT - 1);
    service.clock.advance(WINDOW_MS + 1);
    // The phone was late: this is the first that is heard of it.
    expect((await shop.receipt({ last4digit: digits, receivedAt })).body).toMatchObject({
      status: 'matched',
      paymentId: id,
    });
    expect(await pay()).toBe('verified');
  });

  it('a simulated receipt takes nothing from the count', async () => {
    const { digits } = await enter();
    await enterMany(LIMIT - 1);
    await shop.simulate({ provider: 'qr', last4digit: digits, trxId: undefined });
    service.clock.advance(WINDOW_MS + 1);
    await hearTwice();
    expect(await pay()).toBe(FLAGGED);
  });

  it('the digits beyond the fifth of one payment count, too', async () => {
    const { id } = await shop.create();
    for (let index = 0; index < 6; index += 1) await shop.submit(id, { last4digit: nextDigits() });
    await shop.cancel(id);
    await enter();
    service.clock.advance(WINDOW_MS + 1);
    await hearTwice();
    expect(await pay()).toBe(FLAGGED);
  });
});

describe('how many are too many', () => {
  it('honest: not more than a tenth of what digits verified in that hour', async () => {
    for (let index = 0; index < 10 * LIMIT; index += 1) expect(await pay()).toBe('verified');
    await wrongEntries(LIMIT);
    expect(await pay()).toBe('verified');
    // One more is more than a tenth.
    await wrongEntries(1);
    expect(await pay()).toBe(FLAGGED);
  });

  it('what was verified an hour ago excuses nothing', async () => {
    for (let index = 0; index < 10 * LIMIT; index += 1) expect(await pay()).toBe('verified');
    service.clock.advance(HOUR_MS + 1);
    await wrongEntries(LIMIT);
    expect(await pay()).toBe(FLAGGED);
  });

  it('attack: ten times the limit in any case, however much was verified', async () => {
    // Two hundred excuse twenty.
    for (let round = 0; round < 10; round += 1) {
      const ends = await Promise.all(Array.from({ length: 10 * LIMIT }, () => payLate()));
      expect(new Set(ends)).toEqual(new Set(['verified']));
    }
    await wrongEntries(10 * LIMIT - 1);
    expect(await pay()).toBe('verified');
    await wrongEntries(1);
    expect(await pay()).toBe(FLAGGED);
  });

  it('honest: what a receipt fits is looked at no more, by whoever counts; what is wrong still is', async () => {
    const { database } = service.test;
    const countable = async () => {
      const rows = await database.query<{ count: number }>(
        `SELECT count(*)::integer AS count FROM submissions WHERE store_id = '${shop.store.id}' AND guessable`,
      );
      return rows[0]!.count;
    };
    const guesses = await enterMany(LIMIT - 1);
    // Over two replicas, so that each of them counts often enough.
    for (let round = 0; round < 10; round += 1)
      await Promise.all(Array.from({ length: 10 }, () => payLate()));
    await eventually(countable, (count) => count < 50, 'clearing');
    for (const id of guesses) expect(await shop.stateOf(id)).toBe('submitted');
    expect(await countable()).toBeGreaterThanOrEqual(guesses.length);
    // Those that wait are more than three times the limit: nothing excuses them.
    await enterMany(2 * LIMIT + 1);
    expect(await payLate()).toBe('verified');
    await enter();
    expect(await payLate()).toBe(FLAGGED);
  });

  it('attack: more than three times the limit that wait at once', async () => {
    await enterMany(3 * LIMIT);
    // With the honest payer’s own, whose receipt then fits, six wait: not more than three times two.
    expect(await payLate()).toBe('verified');
    await enter();
    expect(await payLate()).toBe(FLAGGED);
  });

  it('honest: those that wait are no longer waiting when their window is over', async () => {
    await enterMany(3 * LIMIT);
    service.clock.advance(WINDOW_MS + 1);
    expect(await payLateWithoutHearing()).toBe('verified');
  });

  it('counts by amount and by store', async () => {
    await wrongEntries(LIMIT, { amount: 501 });
    expect(await pay()).toBe('verified');
    expect(await pay({ amount: 501 })).toBe(FLAGGED);
    await shop.open();
    expect(await pay({ amount: 501 })).toBe('verified');
  });
});

/** The receipt is there already, and has been heard of before the window of the others was over. */
async function payLateWithoutHearing(): Promise<string> {
  service.clock.advance(-2);
  const digits = nextDigits();
  await shop.receipt({ last4digit: digits });
  service.clock.advance(2);
  const { id } = await shop.create();
  await shop.submit(id, { last4digit: digits });
  return shop.stateOf(id);
}

describe('while the protection holds', () => {
  it('it holds while the counts do, then the next match is automatic again', async () => {
    const guesses = await wrongEntries(LIMIT);
    expect(await pay()).toBe(FLAGGED);
    service.clock.advance(HOUR_MS - 2 * WINDOW_MS - 2);
    expect(await pay()).toBe(FLAGGED);
    service.clock.advance(1);
    expect(await pay()).toBe('verified');
    expect(await shop.stateOf(guesses[0]!)).toBe('submitted');
  });

  it('honest: who enters the last digits of the own phone is verified, however the phone is written', async () => {
    await wrongEntries(LIMIT);
    const [first, second] = [nextDigits(), nextDigits()];
    expect(await pay({ customerPhone: phoneWith(first) }, first)).toBe('verified');
    expect(await payLate({ customerPhone: `+880 171-234${second}` }, second)).toBe('verified');
    expect(await pay({ customerPhone: phoneWith('9999') })).toBe(FLAGGED);
  });

  it('honest: the only open payment of its amount is verified', async () => {
    const guesses = await wrongEntries(LIMIT);
    for (const id of guesses) await shop.cancel(id);
    await shop.create({ amount: 501 });
    expect(await pay()).toBe('verified');
    await shop.create();
    expect(await pay()).toBe(FLAGGED);
  });

  it('two payments for one receipt are ambiguous, whether or not guess protection holds', async () => {
    await wrongEntries(LIMIT);
    const digits = nextDigits();
    const [one, two] = [await enter({}, digits), await enter({}, digits)];
    await shop.receipt({ last4digit: digits });
    for (const { id } of [one, two]) expect(await shop.stateOf(id)).toBe('review: ambiguous');
  });

  it('the guess that hit meets the honest payer before a user', async () => {
    await wrongEntries(LIMIT);
    const guess = await enter();
    const honest = await shop.create();
    const { receiptId } = (await shop.receipt({ last4digit: guess.digits })).body;
    expect(await shop.stateOf(guess.id)).toBe(FLAGGED);
    expect((await shop.submit(honest.id, { last4digit: guess.digits })).body).toEqual({
      status: 'review',
      reviewReason: 'ambiguous',
    });
    expect((await shop.approve(honest.id, receiptId)).body.status).toBe('verified');
    expect(await shop.stateOf(guess.id)).toBe('review: trx_id_used');
  });
});

describe('attackers choose phones, too', () => {
  const own = () => {
    const digits = nextDigits();
    return { digits, body: { customerPhone: phoneWith(digits) } };
  };
  const enterOwn = async (count: number) => {
    for (let index = 0; index < count; index += 1) {
      const { digits, body } = own();
      await enter(body, digits);
    }
  };
  const payOwn = () => {
    const { digits, body } = own();
    return pay(body, digits);
  };

  it('wrong submissions of the own phone end the exception, for an hour', async () => {
    await wrongEntries(LIMIT);
    await enterOwn(LIMIT - 1);
    service.clock.advance(WINDOW_MS + 1);
    await hearTwice();
    expect(await payOwn()).toBe('verified');
    await enterOwn(1);
    service.clock.advance(WINDOW_MS + 1);
    await hearTwice();
    expect(await payOwn()).toBe(FLAGGED);
    service.clock.advance(HOUR_MS);
    expect(await payOwn()).toBe('verified');
  });

  it('so do more than the limit that wait at once', async () => {
    await wrongEntries(LIMIT);
    await enterOwn(LIMIT - 1);
    expect(await payOwn()).toBe('verified');
    await enterOwn(2);
    expect(await payOwn()).toBe(FLAGGED);
  });

  it('honest: they are counted apart, and send nobody else to review', async () => {
    await enterOwn(LIMIT - 1);
    service.clock.advance(WINDOW_MS + 1);
    await hearTwice();
    expect(await pay()).toBe('verified');
  });

  it('attack: who enters nothing but digits of chosen phones is stopped all the same', async () => {
    await enterOwn(3 * LIMIT + 1);
    expect(await payOwn()).toBe(FLAGGED);
    expect(await payOwn()).toBe(FLAGGED);
  });
});

describe('TrxIDs that rise like a counter', () => {
  let counter = 7_000_000_000;
  /** The next id of a wallet whose ids rise: ten digits, as Rocket's. */
  const nextRocketId = () => String((counter += 1));
  const rocket = (trxId: string, body: Record<string, unknown> = {}) =>
    shop.receipt({ provider: 'rocket', trxId, counterparty: '017000000029', ...body });

  async function walk(
    count: number,
    typed: { provider?: string } = { provider: 'rocket' },
    ids = nextRocketId,
  ): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      const { id } = await shop.create();
      expect((await shop.submit(id, { trxId: ids(), ...typed })).status).toBe(202);
    }
  }
  async function wrongWalk(...values: Parameters<typeof walk>): Promise<void> {
    await walk(...values);
    service.clock.advance(TRX_WINDOW_MS + 1);
    await hearTwice();
  }
  async function payRocket(
    body: Record<string, unknown> = {},
    receipt: Record<string, unknown> = {},
  ): Promise<string> {
    const { id } = await shop.create(body);
    const trxId = nextRocketId();
    await shop.submit(id, { trxId });
    await rocket(trxId, receipt);
    return shop.stateOf(id);
  }

  it.each([{ provider: 'rocket' }, {}])(
    'attack: three times the limit of wrong ones, entered with %o',
    async (typed) => {
      await wrongWalk(3 * LIMIT - 1, typed);
      expect(await payRocket()).toBe('verified');
      await wrongWalk(1, typed);
      expect(await payRocket()).toBe(FLAGGED);
    },
  );

  it('attack: nine times the limit that wait at once', async () => {
    await walk(9 * LIMIT);
    expect(await payRocket()).toBe('verified');
    await walk(1);
    expect(await payRocket()).toBe(FLAGGED);
  });

  it.each([{ provider: 'bkash' }, { provider: 'upay' }])(
    'attack: ids of that form count whatever wallet is named: %o',
    async (typed) => {
      await walk(9 * LIMIT + 1, typed);
      expect(await payRocket()).toBe(FLAGGED);
    },
  );

  it('attack: ids of another form count as soon as a wallet is named whose ids can be guessed', async () => {
    const trxIds = Array.from({ length: 9 * LIMIT + 1 }, newTrxId);
    const ids: string[] = [];
    for (const trxId of trxIds) {
      const { id } = await shop.create();
      expect((await shop.submit(id, { trxId, provider: 'bkash' })).status).toBe(202);
      ids.push(id);
    }
    // With bKash they are no guesses.
    expect(await payRocket()).toBe('verified');
    const name = async (provider: string) => {
      for (const [index, id] of ids.entries())
        expect((await shop.submit(id, { trxId: trxIds[index]!, provider })).status).toBe(202);
    };
    await name('nagad');
    expect(await payRocket()).toBe(FLAGGED);
    // Its name is taken back, and it is counted all the same.
    await name('bkash');
    expect(await payRocket()).toBe(FLAGGED);
  });

  it('attack: 400 guesses of the TrxIDs of Bangla QR are counted', async () => {
    await walk(9 * LIMIT + 1, { provider: 'qr' }, newTrxId);
    const { id } = await shop.create();
    const trxId = newTrxId();
    await shop.submit(id, { trxId, provider: 'qr' });
    await shop.receipt({ provider: 'qr', trxId, last4digit: '5601', counterparty: undefined });
    expect(await shop.stateOf(id)).toBe(FLAGGED);
  });

  it('attack: ids that are submitted before they exist verify nothing, and keep nobody out', async () => {
    const trxId = nextRocketId();
    const thief = await shop.create({ expiresInSeconds: 86_400 });
    await shop.submit(thief.id, { trxId });
    service.clock.advance(3 * MINUTE_MS + 1);
    // The one guess is far below every limit.
    const honest = await shop.create();
    const unseen = nextRocketId();
    await shop.submit(honest.id, { trxId });
    await rocket(trxId);
    expect(await shop.stateOf(honest.id)).toBe('verified');
    expect(await shop.stateOf(thief.id)).toBe('review: trx_id_used');
    const second = await shop.create();
    await shop.submit(second.id, { trxId: unseen });
    service.clock.advance(3 * MINUTE_MS + 1);
    await rocket(unseen);
    expect(await shop.stateOf(second.id)).toBe(FLAGGED);
  });

  it('honest: three minutes between two clocks are no guess; nor is a bKash id, or a late message', async () => {
    const [trxId, bkash, late] = [nextRocketId(), newTrxId(), nextRocketId()];
    const [one, two, three] = [await shop.create(), await shop.create(), await shop.create()];
    await shop.submit(one.id, { trxId });
    await shop.submit(two.id, { trxId: bkash });
    await shop.submit(three.id, { trxId: late });
    const receivedAt = service.clock.isoIn(0);
    service.clock.advance(3 * MINUTE_MS);
    await rocket(trxId);
    service.clock.advance(10 * MINUTE_MS);
    await shop.receipt({ trxId: bkash });
    await rocket(late, { receivedAt });
    for (const { id } of [one, two, three]) expect(await shop.stateOf(id)).toBe('verified');
  });

  it('attack: whose phone agrees is no exception after more than the limit of wrong TrxIDs', async () => {
    await wrongWalk(3 * LIMIT);
    const phone = { customerPhone: '01712345678' };
    const sender = { counterparty: '01712***678' };
    const submitWrong = async (id: string, count: number) => {
      for (let index = 0; index < count; index += 1) await shop.submit(id, { trxId: nextRocketId() });
    };
    const [honest, thief] = [await shop.create(phone), await shop.create(phone)];
    await submitWrong(honest.id, LIMIT);
    await submitWrong(thief.id, LIMIT + 1);
    service.clock.advance(TRX_WINDOW_MS + 1);
    await hearTwice();
    for (const [payment, expected] of [
      [honest, 'verified'],
      [thief, FLAGGED],
    ] as const) {
      const trxId = nextRocketId();
      await shop.submit(payment.id, { trxId });
      await rocket(trxId, sender);
      expect(await shop.stateOf(payment.id)).toBe(expected);
    }
  });

  it('honest: whose phone agrees with what can be seen of the sender is verified', async () => {
    await wrongWalk(3 * LIMIT);
    expect(await payRocket({ customerPhone: '01712345678' }, { counterparty: '0171***5678' })).toBe(
      'verified',
    );
    // Six of the last ten digits are enough here.
    expect(await payRocket({ customerPhone: '01712345678' }, { counterparty: '0171****678' })).toBe(
      'verified',
    );
    expect(await payRocket({ customerPhone: '01712345678' }, { counterparty: '0171****679' })).toBe(FLAGGED);
    expect(await payRocket({ customerPhone: '01712345678' }, { counterparty: '01712***679' })).toBe(FLAGGED);
    expect(await payRocket({ customerPhone: '01712345678' }, { counterparty: '*******5678' })).toBe(FLAGGED);
  });

  it('honest: not before ten minutes, and another amount is another count', async () => {
    await walk(3 * LIMIT);
    service.clock.advance(TRX_WINDOW_MS - WINDOW_MS - 1);
    await hearTwice();
    expect(await payRocket()).toBe('verified');
    service.clock.advance(2);
    await hearTwice();
    expect(await payRocket({ amount: 501 }, { amount: 501 })).toBe('verified');
    expect(await payRocket()).toBe(FLAGGED);
  });

  it('honest: the only open payment of its amount is verified', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 3 * LIMIT; index += 1) {
      const { id } = await shop.create();
      await shop.submit(id, { trxId: nextRocketId(), provider: 'rocket' });
      ids.push(id);
    }
    service.clock.advance(TRX_WINDOW_MS + 1);
    await hearTwice();
    for (const id of ids) await shop.cancel(id);
    expect(await payRocket()).toBe('verified');
  });

  it('honest: nobody stops the verification of other wallets with junk, nor that of Rocket with junk for bKash', async () => {
    let junk = 0;
    const bkashId = () => `BKASH${String((junk += 1)).padStart(5, '0')}`;
    await wrongWalk(9 * LIMIT + 1, { provider: 'bkash' }, bkashId);
    await wrongWalk(3 * LIMIT, {}, bkashId);
    expect(await payRocket()).toBe('verified');
    const { id, trxId } = await shop.submitted();
    await shop.receipt({ trxId });
    expect(await shop.stateOf(id)).toBe('verified');
    await wrongWalk(3 * LIMIT);
    const next = await shop.create();
    const nextId = newTrxId();
    await shop.submit(next.id, { trxId: nextId });
    await shop.receipt({ trxId: nextId });
    expect(await shop.stateOf(next.id)).toBe('verified');
  });

  it('digits and TrxIDs are counted apart', async () => {
    await wrongEntries(LIMIT);
    expect(await payRocket()).toBe('verified');
  });
});

describe('a match that guess protection sends to review', () => {
  it('is in the log and in the metrics', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn');
    const metric = async () => {
      const texts = await Promise.all(service.replicas.map(({ http }) => http.get('/metrics')));
      return texts
        .map(({ text }) =>
          Number(/joma_guessing_brake_total\{kind="last4digit"\} (\d+)/.exec(text)?.[1] ?? 0),
        )
        .reduce((sum, value) => sum + value);
    };
    const before = await metric();
    await wrongEntries(LIMIT);
    expect(await pay()).toBe(FLAGGED);
    expect(await pay()).toBe(FLAGGED);
    expect(await metric()).toBe(before + 2);
    const said = warn.mock.calls.filter(([fields]) => (fields as { kind?: string }).kind === 'last4digit');
    const line = [
      expect.objectContaining({ storeId: shop.store.id, amountMinor: 50_000 }),
      'Guess protection sent a match to review.',
    ];
    expect(said).toEqual([line, line]);
  });
});
