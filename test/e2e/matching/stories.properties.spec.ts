import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../support/money-clock.js';
import { expectNoLostMatch, expectSoundMoney } from '../../support/money-invariants.js';
import type { PaymentAnswer } from '../../support/money-answers.js';
import { newTrxId, type Shop } from '../../support/money-shop.js';
import { useService } from '../../support/use-shop.js';

/*
 * Rules: contract 4.1, 4.2, 4.106, 4.108.
 *
 * Goal: whatever happens to a store's payments, in whatever order and however much of it at the same instant, the
 * rules of money hold (contract 4.1). Method: chance writes short stories of groups; the steps of a group run at once
 * over two replicas; afterwards the rules are checked straight from the database and through the API. A failure
 * prints its seed and the shortest story that fails. `MONEY_SEED` tells the same stories again, `MONEY_RUNS` more of
 * them.
 */

const MORE_RUNS = process.env['MONEY_RUNS'];
const SEED = process.env['MONEY_SEED'];
const MAX_LIMIT_MS = 1_800_000;

function parameters(runs: number, limitMs: number): fc.Parameters<unknown> {
  return {
    ...(SEED === undefined ? {} : { seed: Number(SEED) }),
    numRuns: Number(MORE_RUNS ?? runs),
    interruptAfterTimeLimit: MORE_RUNS === undefined ? limitMs : MAX_LIMIT_MS,
  };
}

const service = useService();

// Few values, so that they meet.
const TRX_IDS = ['AAAA', 'BBBB', 'CCCC'];
const DIGITS = ['0042', '4200'];
const WALLETS = ['bkash', 'bkash', 'bkash', 'nagad', 'qr'];

type Key = { readonly trxId: string } | { readonly last4digit: string };

type Step =
  | { readonly do: 'create'; readonly body: Record<string, unknown> }
  | { readonly do: 'submit'; readonly payment: number; readonly typed: Key & { provider?: string } }
  | { readonly do: 'receive'; readonly body: Record<string, unknown>; readonly agoMs: number }
  | { readonly do: 'cancel' | 'reject'; readonly payment: number }
  | { readonly do: 'approve'; readonly payment: number; readonly receipt: number | null }
  | { readonly do: 'match'; readonly payment: number; readonly receipt: number }
  | { readonly do: 'sweep'; readonly replica: number };

interface Group {
  /** How far the clock moves before the group. */
  readonly advanceMs: number;
  readonly steps: readonly Step[];
}

/** One that is not built in, and may pay in any currency. */
const FOREIGN_WALLET = 'dollar_wallet';
const amount = fc.constantFrom(500, 500, 500, 499.99);
const trxKey = fc.record({ trxId: fc.constantFrom(...TRX_IDS) });
const digitsKey = fc.record({ last4digit: fc.constantFrom(...DIGITS) });
const anyKey: fc.Arbitrary<Key> = fc.oneof(
  { weight: 3, arbitrary: trxKey },
  { weight: 2, arbitrary: digitsKey },
);
const wallet = fc.constantFrom(...WALLETS);
const index = fc.nat({ max: 5 });
/** Mostly nothing: what is asked for in particular seldom fits. */
const maybe = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });

const create: fc.Arbitrary<Step> = fc
  .record({ amount, provider: maybe(wallet), currency: maybe(fc.constant('USD')) })
  .map((body) => ({ do: 'create', body }));

const submit: fc.Arbitrary<Step> = fc
  .record({ payment: index, key: anyKey, provider: maybe(wallet) })
  .map(({ payment, key, provider }) => ({
    do: 'submit',
    payment,
    typed: provider === undefined ? key : { ...key, provider },
  }));

const receive: fc.Arbitrary<Step> = fc
  .record({
    key: fc.oneof(
      { weight: 4, arbitrary: anyKey },
      {
        weight: 1,
        arbitrary: fc.tuple(trxKey, digitsKey).map(([first, second]) => ({ ...first, ...second })),
      },
    ),
    amount,
    provider: wallet,
    currency: maybe(fc.constant('USD')),
    kind: maybe(fc.constant('sent')),
    agoMs: fc.constantFrom(0, 0, MINUTE_MS, 3 * MINUTE_MS, 4 * MINUTE_MS, -MINUTE_MS),
  })
  .map(({ key, agoMs, ...rest }) => ({
    do: 'receive',
    agoMs,
    body: {
      counterparty: '01700000002',
      ...rest,
      // The built-in wallets pay in taka only.
      ...(rest.currency === undefined ? {} : { provider: FOREIGN_WALLET }),
      kind: rest.kind ?? 'received',
      ...key,
    },
  }));

const decide: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('cancel' as const, 'reject' as const), payment: index }),
  fc.record({ do: fc.constant('approve' as const), payment: index, receipt: fc.option(index) }),
  fc.record({ do: fc.constant('match' as const), payment: index, receipt: index }),
);

const sweep: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('sweep' as const),
  replica: fc.nat({ max: 1 }),
});

const group: fc.Arbitrary<Group> = fc.record({
  advanceMs: fc.oneof(
    { weight: 12, arbitrary: fc.constant(0) },
    { weight: 6, arbitrary: fc.constantFrom(1, MINUTE_MS, 3 * MINUTE_MS) },
    { weight: 1, arbitrary: fc.constantFrom(HOUR_MS, 24 * HOUR_MS) },
  ),
  steps: fc.array(
    fc.oneof(
      { weight: 1, arbitrary: create },
      { weight: 6, arbitrary: submit },
      { weight: 6, arbitrary: receive },
      { weight: 3, arbitrary: decide },
      { weight: 1, arbitrary: sweep },
    ),
    { minLength: 1, maxLength: 8 },
  ),
});

/** What a story leaves behind, to be checked against the database. */
class Story {
  readonly payments: PaymentAnswer[] = [];
  readonly receiptIds = new Set<string>();
  private settled = new Map<string, unknown>();

  constructor(readonly shop: Shop) {}

  async tell(groups: readonly Group[]): Promise<void> {
    for (const { advanceMs, steps } of groups) {
      this.shop.clock.advance(advanceMs);
      await Promise.all(steps.map((step) => this.take(step)));
      await this.expectFinalIsFinal();
    }
  }

  /** Every answer is one that the contract knows, whatever else goes on. */
  private async take(step: Step): Promise<void> {
    const { shop } = this;
    switch (step.do) {
      case 'create':
        this.payments.push(await shop.create(step.body));
        return;
      case 'submit': {
        const { status } = await shop.submit(this.payment(step.payment), step.typed);
        expect([200, 202, 409, 429]).toContain(status);
        return;
      }
      case 'receive': {
        const receivedAt = shop.clock.isoIn(-step.agoMs);
        const { status, body } = await shop.receipt({ ...step.body, receivedAt });
        expect(status).toBe(200);
        expect(['matched', 'unmatched', 'review', 'duplicate', 'ignored']).toContain(body.status);
        if (body.status !== 'ignored') this.receiptIds.add(body.receiptId);
        return;
      }
      case 'cancel':
        expect([200, 409]).toContain((await shop.cancel(this.payment(step.payment))).status);
        return;
      case 'reject':
        expect([200, 409]).toContain((await shop.reject(this.payment(step.payment))).status);
        return;
      case 'approve': {
        const receiptId = step.receipt === null ? undefined : this.receipt(step.receipt);
        const { status } = await shop.approve(this.payment(step.payment), receiptId);
        expect([200, 400, 409]).toContain(status);
        return;
      }
      case 'match': {
        const receiptId = this.receipt(step.receipt);
        if (receiptId === undefined) return;
        expect([200, 409]).toContain((await shop.match(receiptId, this.payment(step.payment))).status);
        return;
      }
      case 'sweep':
        await service.sweep(step.replica);
    }
  }

  private payment(at: number): string {
    return this.payments[at % this.payments.length]!.id;
  }

  private receipt(at: number): string | undefined {
    return [...this.receiptIds][at % Math.max(1, this.receiptIds.size)];
  }

  async list(): Promise<PaymentAnswer[]> {
    const answer = await this.shop.http.get<{ data: PaymentAnswer[] }>(
      '/api/v1/payments?limit=100',
      this.shop.store.key,
    );
    return answer.body.data;
  }

  /** Verified and cancelled payments never change again, in nothing. */
  private async expectFinalIsFinal(): Promise<void> {
    const payments = await this.list();
    const settled = new Map(
      payments
        .filter(({ status }) => status === 'verified' || status === 'cancelled')
        .map((each) => [each.id, each]),
    );
    for (const [id, before] of this.settled) expect(settled.get(id)).toEqual(before);
    this.settled = settled;
  }

  async expectSound(): Promise<void> {
    const { database } = service.test;
    const storeId = this.shop.store.id;
    await expectSoundMoney(database, storeId);
    const rows = await database.query<{ id: string }>(
      `SELECT id FROM receipts WHERE store_id = $1 AND status <> 'ignored'`,
      [storeId],
    );
    expect(rows.map(({ id }) => id).sort()).toEqual([...this.receiptIds].sort());
    const now = new Map((await this.list()).map((payment) => [payment.id, payment]));
    for (const { id, amount: asked, currency, expiresAt } of this.payments) {
      expect(now.get(id)).toMatchObject({ id, amount: asked, currency, expiresAt });
    }
  }
}

/** Steps that may set a receipt free, which digits that wait find at the next sweep only. */
function setsFree(groups: readonly Group[]): boolean {
  return groups.some(({ steps }) =>
    steps.some((step) => ['cancel', 'reject', 'approve', 'match'].includes(step.do)),
  );
}

describe('any story', () => {
  it('keeps the rules of money, and loses no match', async () => {
    const endings = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(group, { minLength: 1, maxLength: 12 }), async (groups) => {
        const story = new Story(await service.openShop());
        const first: Step[] = [500, 500, 499.99].map((asked) => ({ do: 'create', body: { amount: asked } }));
        await story.tell([{ advanceMs: 0, steps: first }, ...groups]);
        const { database } = service.test;
        const storeId = story.shop.store.id;
        await story.expectSound();
        if (!setsFree(groups)) await expectNoLostMatch(database, service.clock.now(), storeId);
        await service.sweep();
        await story.expectSound();
        await expectNoLostMatch(database, service.clock.now(), storeId);
        for (const { status } of await story.list()) endings.add(status);
      }),
      parameters(40, 16_000),
    );
    // Stories in which nothing happens would prove nothing.
    expect([...endings]).toEqual(expect.arrayContaining(['verified', 'review', 'cancelled']));
  });
});

/** A payment, what is typed for it, and the receipt, which together can end in one way only. */
interface Pair {
  readonly payment: Record<string, unknown>;
  readonly provider: string | undefined;
  readonly receipt: Record<string, unknown>;
  readonly end: string;
}

const PAIRS: readonly Pair[] = [
  { payment: {}, provider: undefined, receipt: {}, end: 'verified' },
  { payment: { provider: 'bkash' }, provider: 'bkash', receipt: {}, end: 'verified' },
  {
    payment: { currency: 'USD' },
    provider: undefined,
    receipt: { currency: 'USD', provider: FOREIGN_WALLET },
    end: 'verified',
  },
  { payment: {}, provider: undefined, receipt: { amount: 499.99 }, end: 'underpaid' },
  { payment: {}, provider: undefined, receipt: { amount: 500.01 }, end: 'overpaid' },
  {
    payment: {},
    provider: undefined,
    receipt: { currency: 'USD', provider: FOREIGN_WALLET },
    end: 'currency_mismatch',
  },
  { payment: { provider: 'nagad' }, provider: undefined, receipt: {}, end: 'wrong_wallet' },
  { payment: {}, provider: 'nagad', receipt: {}, end: 'wrong_wallet' },
];

describe('a submission and its receipt', () => {
  it('end alike in any order, at any moment, on any replica, however often either is repeated', async () => {
    const shop = await service.openShop();
    const moves = fc.array(
      fc.record({ pair: fc.nat({ max: PAIRS.length - 1 }), side: fc.boolean(), alone: fc.boolean() }),
      { maxLength: 24 },
    );
    await fc.assert(
      fc.asyncProperty(moves, fc.boolean(), async (chosen, submissionsFirst) => {
        const cases = await Promise.all(
          PAIRS.map(async (pair) => ({
            ...pair,
            id: (await shop.create(pair.payment)).id,
            trxId: newTrxId(),
          })),
        );
        const act = async (at: number, isSubmission: boolean): Promise<void> => {
          const { id, trxId, provider, receipt } = cases[at]!;
          const { status } = isSubmission
            ? await shop.submit(id, provider === undefined ? { trxId } : { trxId, provider })
            : await shop.receipt({ trxId, ...receipt });
          expect([200, 202]).toContain(status);
        };
        const running: Promise<void>[] = [];
        for (const { pair, side, alone } of chosen) {
          if (alone) await Promise.all(running.splice(0));
          running.push(act(pair, side));
        }
        // Whatever chance left out comes last, so that both sides of each pair have been there.
        for (const isSubmission of [submissionsFirst, !submissionsFirst]) {
          for (const at of PAIRS.keys()) running.push(act(at, isSubmission));
        }
        await Promise.all(running);
        const ends = await Promise.all(cases.map(({ id }) => shop.get(id)));
        expect(ends.map(({ status, reviewReason }) => reviewReason ?? status)).toEqual(
          PAIRS.map(({ end }) => end),
        );
        await expectSoundMoney(service.test.database, shop.store.id);
      }),
      parameters(16, 8_000),
    );
  });
});
