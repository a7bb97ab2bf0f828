import { Logger } from '@nestjs/common';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { expectNoLostMatch } from '../../support/money-invariants.js';
import { newChance } from '../../support/money-random.js';
import { newTrxId, type Shop } from '../../support/money-shop.js';
import { useService } from '../../support/use-shop.js';
import { type MerchantReceiver, startMerchantReceiver } from '../../support/merchant-receiver.js';
import { countStatements } from '../../support/statement-counts.js';

/*
 * Rules: contract 4.2, 4.11, 6.20 to 6.22.
 *
 * Goal: receipts of the same moment share a transaction, and each of them ends as it would have alone (contract 4.2).
 * Method: many of all kinds, for several stores of one owner and through two replicas, are sent at once; the end of
 * each is known beforehand.
 */

const chance = newChance();
const SEED = `MONEY_SEED=${chance.seed}`;

const service = useService();
let receiver: MerchantReceiver;
let shops: Shop[];

beforeEach(async () => {
  receiver = await startMerchantReceiver();
  shops = [];
  for (let count = 0; count < 3; count += 1) shops.push(await service.openShop({ webhookUrl: receiver.url }));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await receiver.close();
});

/**
 * One receipt, or several that bear on each other, with what each is answered (in any order) and how its payments
 * end.
 */
interface Story {
  readonly name: string;
  readonly receipts: readonly { readonly shop: Shop; readonly body: Record<string, unknown> }[];
  readonly answers: readonly string[];
  readonly ends: readonly { readonly shop: Shop; readonly id: string; readonly status: RegExp }[];
}

async function paymentWaiting(
  shop: Shop,
  trxId: string,
  body: Record<string, unknown> = {},
): Promise<string> {
  const { id } = await shop.create(body);
  expect((await shop.submit(id, { trxId })).status).toBe(202);
  return id;
}

type Telling = (shop: Shop, other: Shop) => Promise<Omit<Story, 'name'>>;

const oneReceipt =
  (
    receipt: Record<string, unknown>,
    payment: Record<string, unknown> | null,
    answer: string,
    status: RegExp,
  ): Telling =>
  async (shop) => {
    const trxId = newTrxId();
    const id = payment === null ? null : await paymentWaiting(shop, trxId, payment);
    const ends = id === null ? [] : [{ shop, id, status }];
    return { receipts: [{ shop, body: { trxId, ...receipt } }], answers: [answer], ends };
  };

const TELLINGS: Readonly<Record<string, Telling>> = {
  'somebody waits': oneReceipt({}, {}, 'matched', /^verified$/),
  'nobody waits': oneReceipt({}, null, 'unmatched', /^$/),
  'too little': oneReceipt({ amount: 499 }, {}, 'review', /^review underpaid$/),
  'too much': oneReceipt({ amount: 501 }, {}, 'review', /^review overpaid$/),
  'another wallet': oneReceipt(
    { provider: 'nagad' },
    { provider: 'bkash' },
    'review',
    /^review wrong_wallet$/,
  ),
  'a wallet whose ids can be guessed': oneReceipt({ provider: 'rocket' }, {}, 'matched', /^verified$/),
  'money that was sent': oneReceipt({ kind: 'sent' }, {}, 'ignored', /^submitted/),
  'digits beside the TrxID': oneReceipt(
    { last4digit: '4321', counterparty: null },
    {},
    'matched',
    /^verified$/,
  ),
  'the same twice': async (shop) => {
    const trxId = newTrxId();
    const id = await paymentWaiting(shop, trxId);
    const receipts = [
      { shop, body: { trxId } },
      { shop, body: { trxId } },
    ];
    return { receipts, answers: ['duplicate', 'matched'], ends: [{ shop, id, status: /^verified$/ }] };
  },
  'two wallets, one TrxID': async (shop) => {
    const trxId = newTrxId();
    const id = await paymentWaiting(shop, trxId, { provider: 'bkash' });
    const receipts = [
      { shop, body: { trxId } },
      { shop, body: { trxId, provider: 'upay', amount: 77 } },
    ];
    return { receipts, answers: [], ends: [{ shop, id, status: /^verified$|^review/ }] };
  },
  'two stores of one owner': async (shop, other) => {
    const trxId = newTrxId();
    const ids = [await paymentWaiting(shop, trxId), await paymentWaiting(other, trxId)];
    return {
      receipts: [
        { shop, body: { trxId } },
        { shop: other, body: { trxId } },
      ],
      answers: ['matched', 'review'],
      ends: ids.map((id, index) => ({
        shop: index === 0 ? shop : other,
        id,
        status: /^verified$|^review flagged$/,
      })),
    };
  },
  'two payments wait, one of them fits': async (shop) => {
    const trxId = newTrxId();
    const exact = await paymentWaiting(shop, trxId);
    const wrong = await paymentWaiting(shop, trxId, { amount: 900 });
    return {
      receipts: [{ shop, body: { trxId } }],
      answers: ['matched'],
      ends: [
        { shop, id: exact, status: /^verified$/ },
        { shop, id: wrong, status: /^review trx_id_used$/ },
      ],
    };
  },
  'who waited has cancelled': async (shop) => {
    const trxId = newTrxId();
    const id = await paymentWaiting(shop, trxId);
    expect((await shop.cancel(id)).status).toBe(200);
    return {
      receipts: [{ shop, body: { trxId } }],
      answers: ['unmatched'],
      ends: [{ shop, id, status: /^cancelled$/ }],
    };
  },
  'the simulated one has verified': async (shop) => {
    const trxId = newTrxId();
    const id = await paymentWaiting(shop, trxId);
    expect((await shop.simulate({ trxId })).status).toBe(200);
    return {
      receipts: [{ shop, body: { trxId } }],
      answers: ['review'],
      ends: [{ shop, id, status: /^verified$/ }],
    };
  },
  'an expired payment': async (shop) => {
    const trxId = newTrxId();
    const id = await paymentWaiting(shop, trxId);
    await service.test.database.query(`UPDATE payments SET grace_ends_at = $2 WHERE id = $1`, [
      id,
      new Date(service.clock.now().getTime() - 1),
    ]);
    return {
      receipts: [{ shop, body: { trxId } }],
      answers: ['review'],
      ends: [{ shop, id, status: /^review late$/ }],
    };
  },
};

async function stories(rounds: number): Promise<Story[]> {
  const told: Story[] = [];
  for (let round = 0; round < rounds; round += 1)
    for (const [name, tell] of Object.entries(TELLINGS))
      told.push({ name, ...(await tell(shops[round % 3]!, shops[(round + 1) % 3]!)) });
  return told;
}

it('each ends as it would have alone', async () => {
  const told = await stories(4);
  const counts = countStatements('receipts-insert-many', 'payments-verify-many', 'deliveries-append-many');
  const sendings = told.flatMap((story) => story.receipts.map((receipt) => ({ story, ...receipt })));
  const answers = new Map<Story, string[]>();
  await Promise.all(
    chance.shuffle(sendings).map(async ({ story, shop, body }) => {
      const answer = await shop.receipt(body);
      expect(answer.status, `${story.name}, ${SEED}: ${answer.text}`).toBe(200);
      answers.set(story, [...(answers.get(story) ?? []), answer.body.status]);
    }),
  );
  for (const story of told) {
    if (story.answers.length > 0)
      expect(answers.get(story)!.sort(), `${story.name}, ${SEED}`).toEqual(story.answers);
    for (const { shop, id, status } of story.ends) {
      const payment = await shop.get(id);
      expect([payment.status, payment.reviewReason].join(' ').trim(), `${story.name}, ${SEED}`).toMatch(
        status,
      );
    }
  }
  for (const name of ['receipts-insert-many', 'payments-verify-many', 'deliveries-append-many'])
    expect(counts.get(name), name).toBeGreaterThan(0);
  for (const shop of shops)
    await expectNoLostMatch(service.test.database, service.clock.now(), shop.store.id);
});

it('every payment that they verify is told to its merchant once', async () => {
  const waiting: { shop: Shop; id: string; trxId: string }[] = [];
  for (let count = 0; count < 60; count += 1) {
    const shop = shops[count % 3]!;
    const trxId = newTrxId();
    waiting.push({
      shop,
      trxId,
      id: await paymentWaiting(shop, trxId, { note: `Order "${count}"\n{x},\\` }),
    });
  }
  await Promise.all(waiting.map(({ shop, trxId }) => shop.receipt({ trxId })));
  await receiver.waitFor(60);
  expect(receiver.received.map(({ body }) => body['paymentId']).sort()).toEqual(
    waiting.map(({ id }) => id).sort(),
  );
  for (const shop of shops) {
    const own = waiting.filter((one) => one.shop === shop).map(({ id }) => id);
    const events = await shop.events();
    expect(events.map(({ body }) => (JSON.parse(body) as { paymentId: string }).paymentId).sort()).toEqual(
      own.sort(),
    );
  }
});

it('a group that fails costs nobody his receipt', async () => {
  const told = await stories(1);
  let failures = 0;
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with the client it was called on
  const query = Client.prototype.query as (this: Client, ...parameters: unknown[]) => unknown;
  vi.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...parameters: unknown[]) {
    const { name } = parameters[0] as { name?: string };
    if (name === 'payments-lock-waiting') {
      failures += 1;
      return query.call(this, 'SELECT 1 / 0') as never;
    }
    return query.apply(this, parameters) as never;
  });
  const sent = told.flatMap(({ receipts }) => receipts);
  const answers = await Promise.all(sent.map(({ shop, body }) => shop.receipt(body)));
  expect(failures).toBeGreaterThan(0);
  expect(answers.map(({ status }) => status)).toEqual(sent.map(() => 200));
  for (const { name, ends } of told)
    for (const { shop, id, status } of ends) {
      const payment = await shop.get(id);
      expect([payment.status, payment.reviewReason].join(' ').trim(), name).toMatch(status);
    }
});

it('two receipts for one payment, by two TrxIDs that its payer entered, undo nobody else', async () => {
  const warned = vi.spyOn(Logger.prototype, 'warn');
  const firsts: { shop: Shop; trxId: string }[] = [];
  const seconds: { shop: Shop; trxId: string }[] = [];
  const ids: { shop: Shop; id: string }[] = [];
  for (let count = 0; count < 8; count += 1)
    for (const shop of shops) {
      const [first, second] = [newTrxId(), newTrxId()];
      const id = await paymentWaiting(shop, first);
      expect((await shop.submit(id, { trxId: second })).status).toBe(202);
      firsts.push({ shop, trxId: first });
      seconds.push({ shop, trxId: second });
      ids.push({ shop, id });
    }
  // The replicas take turns: both of a payment go to the same one.
  const receipts = [...firsts, ...seconds];
  const answers = await Promise.all(receipts.map(({ shop, trxId }) => shop.receipt({ trxId })));
  expect(answers.map(({ status }) => status)).toEqual(receipts.map(() => 200));
  expect(answers.filter(({ body }) => body.status === 'matched')).toHaveLength(ids.length);
  for (const { shop, id } of ids) expect((await shop.get(id)).status).toBe('verified');
  expect(warned).not.toHaveBeenCalled();
});

it('somebody who holds a payment holds up its receipt alone', async () => {
  const [shop] = shops as [Shop];
  const [held, free] = [newTrxId(), newTrxId()];
  const heldId = await paymentWaiting(shop, held);
  const freeId = await paymentWaiting(shop, free);
  const holder = new Client({ connectionString: service.test.database.url });
  await holder.connect();
  try {
    await holder.query('BEGIN');
    await holder.query('SELECT FROM payments WHERE id = $1 FOR UPDATE', [heldId]);
    const late = shop.receipt({ trxId: held });
    expect((await shop.receipt({ trxId: free })).body.status).toBe('matched');
    expect((await shop.get(freeId)).status).toBe('verified');
    expect((await shop.get(heldId)).status).toBe('submitted');
    await holder.query('COMMIT');
    expect((await late).body.status).toBe('matched');
  } finally {
    await holder.end();
  }
});
