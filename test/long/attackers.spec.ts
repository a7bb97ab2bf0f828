import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../support/money-clock.js';
import { expectNoLostMatch, expectSoundMoney } from '../support/money-invariants.js';
import type { Typed } from '../support/money-answers.js';
import { type MoneyService, newTrxId, type Shop, startMoneyService } from '../support/money-shop.js';

/*
 * Rules: contract 4.74, 4.75.
 *
 * Goal: no receipt verifies a payment whose payer did not send it, and nobody honest is lost in silence, whoever
 * attacks beside them (contract 4.74). Method: chance writes a quarter of an hour of a shop, minute by minute; what
 * falls into one minute happens at once, over two replicas whose own clocks are an hour off on either side. Everybody
 * pays who is honest; attackers pay nothing, and do not happen to guess the digits or ids of somebody else's receipt;
 * but in a shop with `uniqueAmounts` they know everybody's digits. `MONEY_SEED` tells the same stories again,
 * `MONEY_RUNS` more of them.
 */

const MORE_RUNS = process.env['MONEY_RUNS'];
const SEED = process.env['MONEY_SEED'];
const MAX_LIMIT_MS = 1_800_000;
const AMOUNTS = [500, 501];

let service: MoneyService;

beforeAll(async () => {
  const environment = { GUESS_LIMIT: '3/1h' };
  service = await startMoneyService({ replicas: 2, wrongClocks: true, environment });
});
afterAll(() => service.close());

type Way = 'bkash' | 'rocket' | 'qr';

/** An honest payer. Minutes are counted from the payment on. */
interface Payer {
  readonly minute: number;
  readonly amount: number;
  readonly way: Way;
  readonly tellsPhone: boolean;
  /** When the money was sent, and what follows it: the entry, and the receipt. */
  readonly paysAfter: number;
  readonly entersAfter: number;
  readonly receiptAfter: number;
  readonly mistypes: boolean;
  /** What strangers with the link enter before: junk of the payer's own kind, or the TrxID of a transfer of Tk 1. */
  readonly junk: number;
  readonly poisoned: boolean;
}

type Attacker =
  | {
      readonly by: 'guess' | 'walk' | 'old' | 'simulated';
      readonly minute: number;
      readonly amount: number;
      readonly pick: number;
    }
  | { readonly by: 'small'; readonly minute: number; readonly amount: number; readonly pick: number };

const minute = fc.nat({ max: 8 });
const amount = fc.constantFrom(...AMOUNTS);
const seldom = fc.nat({ max: 5 }).map((drawn) => drawn === 0);

const payer = (attacked: boolean): fc.Arbitrary<Payer> =>
  fc.record({
    ...{ minute, amount, way: fc.constantFrom<Way>('bkash', 'rocket', 'qr'), tellsPhone: fc.boolean() },
    ...{ paysAfter: fc.nat({ max: 2 }), entersAfter: fc.nat({ max: 3 }), receiptAfter: fc.nat({ max: 2 }) },
    mistypes: seldom,
    junk: attacked ? fc.oneof(fc.constant(0), fc.nat({ max: 8 })) : fc.constant(0),
    poisoned: attacked ? seldom : fc.constant(false),
  });

const attacker: fc.Arbitrary<Attacker> = fc.record({
  by: fc.constantFrom('guess', 'guess', 'walk', 'walk', 'small', 'old', 'simulated'),
  ...{ minute: fc.nat({ max: 12 }), amount, pick: fc.nat({ max: 9 }) },
});

/** What has become of an honest payer. */
interface Fate {
  readonly payer: Payer;
  readonly paymentId: string;
  /** The own entry was answered 409 `payment.trx_id_used`. */
  wasTold: boolean;
}

let towns = 0;

/** Receipts of honest payers have even digits and ids, what attackers make up has odd ones. */
class Town {
  readonly fates: Fate[] = [];
  readonly attackerIds: string[] = [];
  private readonly ownerOf = new Map<string, string>();
  private readonly agenda = new Map<number, (() => Promise<void>)[]>();
  private readonly seenTrxIds: string[] = [];
  private readonly seenDigits: string[] = [];
  private readonly oldTrxIds = [newTrxId(), newTrxId()];
  private readonly simulatedTrxIds = [newTrxId(), newTrxId()];
  private even = 2_000;
  private readonly place = (towns += 1);

  constructor(
    private readonly shop: Shop,
    private readonly uniqueAmounts: boolean,
  ) {}

  async live(payers: readonly Payer[], attackers: readonly Attacker[]): Promise<void> {
    const { shop } = this;
    for (const trxId of this.oldTrxIds)
      await shop.receipt({ trxId, receivedAt: shop.clock.isoIn(-48 * HOUR_MS) });
    for (const trxId of this.simulatedTrxIds) await shop.simulate({ trxId });
    await shop.change({ simulationEnabled: false, uniqueAmounts: this.uniqueAmounts });
    for (const one of payers) this.at(one.minute, () => this.order(one));
    for (const one of attackers) this.at(one.minute, () => this.attack(one));
    for (let now = 0; now <= 20; now += 1) {
      const due = [...(this.agenda.get(now) ?? [])];
      this.now = now;
      await Promise.all(due.map((action) => action()));
      if (now % 4 === 0) await service.sweep((now / 4) % 2);
      shop.clock.advance(MINUTE_MS);
    }
    await service.sweep();
    await expectNoLostMatch(service.test.database, shop.clock.now(), shop.store.id);
    shop.clock.advance(25 * HOUR_MS);
    await service.sweep(1);
  }

  private now = 0;

  private at(when: number, action: () => Promise<void>): void {
    this.agenda.set(when, [...(this.agenda.get(when) ?? []), action]);
  }

  /** What follows within the same minute follows at once. */
  private later(minutes: number, action: () => Promise<void>): Promise<void> {
    if (minutes === 0) return action();
    this.at(this.now + minutes, action);
    return Promise.resolve();
  }

  private async order(one: Payer): Promise<void> {
    const { shop } = this;
    const number = (this.even += 2);
    const phone = `0171234${number}`;
    const body = {
      amount: one.amount,
      expiresInSeconds: 86_400,
      ...(one.tellsPhone ? { customerPhone: phone } : {}),
    };
    const { id, payAmount } = await shop.create(body);
    const fate: Fate = { payer: one, paymentId: id, wasTold: false };
    this.fates.push(fate);
    const typed: Typed =
      one.way === 'qr' ? { last4digit: String(number) } : { trxId: this.idOf(one.way, number) };
    this.seenDigits.push(String(number));
    await this.trouble(id, one);
    await this.later(one.paysAfter, async () => {
      const receivedAt = shop.clock.isoIn(0);
      const money = one.way === 'qr' ? typed : { ...typed, provider: one.way, counterparty: phone };
      await Promise.all([
        this.later(one.entersAfter, () => this.enter(fate, typed)),
        this.later(one.receiptAfter, async () => {
          const { status, body: kept } = await shop.receipt({ ...money, amount: payAmount, receivedAt });
          expect(status).toBe(200);
          this.ownerOf.set(kept.receiptId, id);
        }),
      ]);
    });
  }

  private idOf(way: 'bkash' | 'rocket', number: number): string {
    const trxId = way === 'rocket' ? this.rocketId(number) : newTrxId();
    this.seenTrxIds.push(trxId);
    return trxId;
  }

  /** No two towns have the same: the owner of all is one, and would have been told of them twice. */
  private rocketId(number: number): string {
    return `7${String(this.place * 10_000 + number).padStart(9, '0')}`;
  }

  /** Strangers who have the link of the page. */
  private async trouble(id: string, { way, junk, poisoned }: Payer): Promise<void> {
    const { shop } = this;
    for (let index = 0; index < junk; index += 1)
      await shop.submit(id, way === 'qr' ? { last4digit: this.oddDigits(index) } : { trxId: newTrxId() });
    if (!poisoned) return;
    const trxId = newTrxId();
    await shop.receipt({ trxId, amount: 1 });
    await shop.submit(id, { trxId });
  }

  private async enter(fate: Fate, typed: Typed): Promise<void> {
    const { payer: one, paymentId } = fate;
    if (one.mistypes)
      await this.shop.submit(
        paymentId,
        one.way === 'qr' ? { last4digit: this.oddDigits(7) } : { trxId: newTrxId() },
      );
    const { status, body } = await this.shop.submit(paymentId, typed);
    expect([200, 202, 409, 429]).toContain(status);
    if (body.code === 'payment.trx_id_used') fate.wasTold = true;
  }

  private oddDigits(pick: number): string {
    return String(3_001 + 2 * pick);
  }

  private async attack({ by, amount: asked, pick }: Attacker): Promise<void> {
    const { shop } = this;
    const digits = this.oddDigits(pick);
    const customerPhone = pick % 3 === 0 ? `0181234${digits}` : undefined;
    const { id } = await shop.create({
      amount: by === 'small' ? 10 : asked,
      customerPhone,
      expiresInSeconds: 86_400,
    });
    this.attackerIds.push(id);
    const trxId = {
      guess: undefined,
      walk: this.rocketId(2_001 + 2 * pick),
      old: this.oldTrxIds[pick % 2],
      simulated: this.simulatedTrxIds[pick % 2],
      small: this.seenTrxIds[pick % Math.max(1, this.seenTrxIds.length)],
    }[by];
    if (by !== 'guess') {
      if (trxId !== undefined) await shop.submit(id, { trxId });
      return;
    }
    const guesses = this.uniqueAmounts
      ? this.seenDigits.slice(-5)
      : [0, 1, 2, 3, 4].map((index) => this.oddDigits(pick + index));
    for (const last4digit of guesses) await shop.submit(id, { last4digit });
  }

  async expectNobodyRobbedOrLost(): Promise<void> {
    const { database } = service.test;
    await expectSoundMoney(database, this.shop.store.id);
    const rows = await database.query<{
      id: string;
      status: string;
      review_reason: string | null;
      receipt_id: string | null;
    }>('SELECT id, status, review_reason, receipt_id FROM payments WHERE store_id = $1', [
      this.shop.store.id,
    ]);
    const robbed = rows.filter(
      ({ id, status, receipt_id: receiptId }) =>
        status === 'verified' && (this.attackerIds.includes(id) || this.ownerOf.get(receiptId ?? '') !== id),
    );
    expect(robbed).toEqual([]);
    const lost = this.fates.filter(({ paymentId, wasTold }) => {
      const status = rows.find(({ id }) => id === paymentId)?.status;
      return !wasTold && status !== 'verified' && status !== 'review';
    });
    expect(lost).toEqual([]);
  }

  async countVerified(): Promise<number> {
    const states = await Promise.all(this.fates.map(({ paymentId }) => this.shop.get(paymentId)));
    return states.filter(({ status }) => status === 'verified').length;
  }
}

function parameters(runs: number, limitMs: number): fc.Parameters<unknown> {
  return {
    ...(SEED === undefined ? {} : { seed: Number(SEED) }),
    numRuns: Number(MORE_RUNS ?? runs),
    interruptAfterTimeLimit: MORE_RUNS === undefined ? limitMs : MAX_LIMIT_MS,
  };
}

describe('a quarter of an hour of a shop', () => {
  it('that is attacked: nobody is robbed, and nobody honest is lost in silence', async () => {
    const payers = fc.array(payer(true), { minLength: 2, maxLength: 8 });
    const attackers = fc.array(attacker, { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(payers, attackers, fc.boolean(), async (honest, hostile, uniqueAmounts) => {
        const town = new Town(await service.openShop(), uniqueAmounts);
        await town.live(honest, hostile);
        await town.expectNobodyRobbedOrLost();
      }),
      parameters(20, 12_000),
    );
  });

  it('that nobody attacks: at least 95 of 100 are verified by themselves', async () => {
    const counts = { payers: 0, verified: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(payer(false), { minLength: 8, maxLength: 12 }), async (honest) => {
        const town = new Town(await service.openShop(), false);
        await town.live(honest, []);
        await town.expectNobodyRobbedOrLost();
        counts.payers += honest.length;
        counts.verified += await town.countVerified();
      }),
      parameters(8, 8_000),
    );
    expect(counts.payers).toBeGreaterThan(0);
    expect(counts.verified / counts.payers).toBeGreaterThanOrEqual(0.95);
  });
});
