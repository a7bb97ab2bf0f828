import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { expectNoLostMatch } from '../../support/money-invariants.js';
import { newChance } from '../../support/money-random.js';
import type { PaymentAnswer } from '../../support/money-answers.js';
import { newTrxId } from '../../support/money-shop.js';
import { useShop } from '../../support/use-shop.js';
import { type MerchantReceiver, startMerchantReceiver } from '../../support/merchant-receiver.js';

/*
 * Rules: contract 4.2, 4.10, 4.11, 4.15, 4.26, 4.28, 4.106 to 4.108, 6.21, 6.22.
 *
 * Goal: things that happen at the same instant, on two replicas, end as if they had happened one after the other
 * (contract 4.2). Method: everything is sent at once, in an order that chance mixes; whatever comes first, the end is
 * checked in the answers, in the database and at the merchant's receiver.
 */

const chance = newChance();
const SEED = `MONEY_SEED=${chance.seed}`;

const { service, shop } = useShop();
let receiver: MerchantReceiver;

beforeEach(async () => {
  receiver = await startMerchantReceiver();
  await shop.change({ webhookUrl: receiver.url });
});
afterEach(() => receiver.close());

const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Starts everything in an order of chance, and waits for all of it; the answers come in the order given. */
async function atOnce<Result>(actions: readonly (() => Promise<Result>)[]): Promise<Result[]> {
  const results: Promise<Result>[] = [];
  for (const index of chance.shuffle(times(actions.length, (each) => each))) {
    results[index] = actions[index]!();
  }
  return Promise.all(results);
}

const createPayments = (count: number, body: Record<string, unknown> = {}): Promise<PaymentAnswer[]> =>
  Promise.all(times(count, () => shop.create(body)));

const noLostMatch = () => expectNoLostMatch(service.test.database, service.clock.now(), shop.store.id);

/** Waits for one webhook of each of these payments, and fails when there is any other. */
async function expectWebhooksOf(paymentIds: readonly string[]): Promise<void> {
  await receiver.waitFor(paymentIds.length);
  const told = receiver.received.map(({ body }) => String(body['paymentId'])).sort();
  expect(told, SEED).toEqual([...paymentIds].sort());
}

/** Waits until so many of the service's transactions wait for a lock. */
async function lockWaiters(count: number): Promise<void> {
  const { database } = service.test;
  const ask = async () => {
    // Within a transaction PostgreSQL shows what it first saw, unless it is told to look again.
    await database.query('SELECT pg_stat_clear_snapshot()');
    const [row] = await database.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return row!.count;
  };
  await eventually(ask, (waiting) => waiting === count, `${count} transactions that wait`);
}

function counted(values: readonly unknown[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[String(value)] = (counts[String(value)] ?? 0) + 1;
  return counts;
}

describe('a submission and its receipt', () => {
  it('meet, whichever comes first: 150 pairs at once over two replicas, each verified and told once', async () => {
    const payments = await createPayments(150);
    const pairs = payments.map(({ id }) => ({ id, trxId: newTrxId() }));
    const answers = await atOnce([
      ...pairs.map(
        ({ id, trxId }) =>
          () =>
            shop.submit(id, { trxId }),
      ),
      ...pairs.map(
        ({ trxId }) =>
          () =>
            shop.receipt({ trxId }),
      ),
    ]);
    const [submitted, received] = [answers.slice(0, 150), answers.slice(150)];
    for (const [index, answer] of submitted.entries()) {
      // Exactly one of the two has seen the other.
      const matchedByReceipt = received[index]!.body.status === 'matched';
      expect([answer.status, matchedByReceipt], SEED).toEqual(matchedByReceipt ? [202, true] : [200, false]);
    }
    const ends = await Promise.all(payments.map(({ id }) => shop.get(id)));
    expect(counted(ends.map(({ status }) => status)), SEED).toEqual({ verified: 150 });
    await noLostMatch();
    await expectWebhooksOf(payments.map(({ id }) => id));
  });

  it('meet for Bangla QR, too: 60 pairs of digits and amount', async () => {
    const payments = await Promise.all(times(60, (index) => shop.create({ amount: 100 + index })));
    await atOnce<unknown>(
      payments.flatMap(({ id, amount }) => [
        () => shop.submit(id, { last4digit: '0042' }),
        () => shop.receipt({ last4digit: '0042', amount }),
      ]),
    );
    const ends = await Promise.all(payments.map(({ id }) => shop.get(id)));
    expect(counted(ends.map(({ status }) => status)), SEED).toEqual({ verified: 60 });
    await expectWebhooksOf(payments.map(({ id }) => id));
  });
});

describe('one TrxID for many payments', () => {
  it('verifies exactly one of 60, beside its receipt; the others hear only that it is used', async () => {
    const payments = await createPayments(60);
    const trxId = newTrxId();
    const [received, ...submitted] = await atOnce<{
      status: number;
      body: { status?: unknown; code?: string };
    }>([
      () => shop.receipt({ trxId }),
      ...payments.map(
        ({ id }) =>
          () =>
            shop.submit(id, { trxId }),
      ),
    ]);
    expect(received!.status, SEED).toBe(200);
    for (const { status, body } of submitted) {
      if (status === 409) expect(body.code, SEED).toBe('payment.trx_id_used');
      else expect([200, 202], SEED).toContain(status);
    }
    const ends = await Promise.all(payments.map(({ id }) => shop.get(id)));
    for (const [index, end] of ends.entries()) {
      const answer = submitted[index]!;
      if (end.status === 'verified') continue;
      // Refused before it waited; or in review because it did; or, beyond twenty, waiting on.
      const waits = end.status === 'submitted';
      const expected =
        answer.status === 409 ? ['pending', null] : waits ? ['submitted', null] : ['review', 'trx_id_used'];
      expect([end.status, end.reviewReason, end.receivedAmount, end.payerNumber], SEED).toEqual([
        ...expected,
        null,
        null,
      ]);
    }
    const winners = ends.filter(({ status }) => status === 'verified');
    expect(winners, SEED).toHaveLength(1);
    await noLostMatch();
    await expectWebhooksOf([winners[0]!.id]);
  });

  it('pays one of two that swap their TrxIDs, each its own', async () => {
    for (let round = 0; round < 15; round += 1) {
      const [left, right] = await createPayments(2);
      const [first, second] = [newTrxId(), newTrxId()];
      await shop.submit(left!.id, { trxId: first });
      await shop.submit(right!.id, { trxId: second });
      await atOnce<unknown>([
        () => shop.submit(left!.id, { trxId: second }),
        () => shop.submit(right!.id, { trxId: first }),
        () => shop.receipt({ trxId: first }),
        () => shop.receipt({ trxId: second }),
      ]);
      // A receipt verifies whoever submitted its TrxID when it came; nobody ends with the other's or with both.
      const ends = await Promise.all([shop.get(left!.id), shop.get(right!.id)]);
      for (const end of ends) expect(['verified', 'review', 'submitted'], SEED).toContain(end.status);
      const trxIds = ends.filter(({ status }) => status === 'verified').map(({ trxId }) => trxId);
      expect(new Set(trxIds).size, SEED).toBe(trxIds.length);
      expect(trxIds.length, SEED).toBeGreaterThan(0);
      await noLostMatch();
    }
  });

  it('swapped before the money comes pays both', async () => {
    for (let round = 0; round < 15; round += 1) {
      const [left, right] = await createPayments(2);
      const [first, second] = [newTrxId(), newTrxId()];
      await shop.submit(left!.id, { trxId: first });
      await shop.submit(right!.id, { trxId: second });
      const swapped = await atOnce([
        () => shop.submit(left!.id, { trxId: second }),
        () => shop.submit(right!.id, { trxId: first }),
      ]);
      expect(
        swapped.map(({ status }) => status),
        SEED,
      ).toEqual([202, 202]);
      await atOnce([() => shop.receipt({ trxId: first }), () => shop.receipt({ trxId: second })]);
      expect(await shop.get(left!.id), SEED).toMatchObject({ status: 'verified', trxId: second });
      expect(await shop.get(right!.id), SEED).toMatchObject({ status: 'verified', trxId: first });
    }
  });
});

describe('one receipt many times', () => {
  it('is counted once: of 40 at once one matches and 39 are duplicates of it', async () => {
    const [payment] = await createPayments(1);
    const trxId = newTrxId();
    await shop.submit(payment!.id, { trxId });
    const answers = await atOnce(times(40, () => () => shop.receipt({ trxId })));
    expect(new Set(answers.map(({ status }) => status)), SEED).toEqual(new Set([200]));
    expect(counted(answers.map(({ body }) => body.status)), SEED).toEqual({ matched: 1, duplicate: 39 });
    expect(new Set(answers.map(({ body }) => body.receiptId)).size).toBe(1);
    expect(new Set(answers.map(({ body }) => body.paymentId))).toEqual(new Set([payment!.id]));
    await expectWebhooksOf([payment!.id]);
  });

  it('is counted once without a TrxID, too', async () => {
    const [payment] = await createPayments(1);
    await shop.submit(payment!.id, { last4digit: '0042' });
    const answers = await atOnce(times(40, () => () => shop.receipt({ last4digit: '0042' })));
    expect(counted(answers.map(({ body }) => body.status)), SEED).toEqual({ matched: 1, duplicate: 39 });
    await expectWebhooksOf([payment!.id]);
  });

  it('can be claimed by its TrxID or by its digits, and by one payment alone', async () => {
    for (let round = 0; round < 30; round += 1) {
      const [byTrxId, byDigits] = await createPayments(2, { amount: 100 + round });
      const trxId = newTrxId();
      await shop.receipt({ trxId, last4digit: '7001', amount: 100 + round });
      const answers = await atOnce([
        () => shop.submit(byTrxId!.id, { trxId }),
        () => shop.submit(byDigits!.id, { last4digit: '7001' }),
      ]);
      for (const { status } of answers) expect([200, 202, 409], SEED).toContain(status);
      const ends = await Promise.all([shop.get(byTrxId!.id), shop.get(byDigits!.id)]);
      expect(counted(ends.map(({ status }) => status))['verified'], SEED).toBe(1);
    }
  });

  it('that its TrxID has found is not put in doubt by its digits, which are being weighed at that instant', async () => {
    const [byTrxId, byDigits] = await createPayments(2);
    const trxId = newTrxId();
    const { body: claimed } = await shop.receipt({ trxId, last4digit: '7002', provider: 'qr' });
    const { body: other } = await shop.receipt({ trxId: newTrxId(), last4digit: '7002', provider: 'qr' });
    const { database } = service.test;
    // Both come to the point where they lock the receipt, one behind the other, and no further.
    await database.query('BEGIN');
    await database.query('SELECT FROM receipts WHERE id = $1 AND store_id = $2 FOR NO KEY UPDATE', [
      claimed.receiptId,
      shop.store.id,
    ]);
    const submitted = shop.submit(byTrxId!.id, { trxId });
    await lockWaiters(1);
    const doubted = shop.submit(byDigits!.id, { last4digit: '7002' });
    await lockWaiters(2);
    await database.query('COMMIT');
    expect((await submitted).body.status).toBe('verified');
    // As if it had come after the other: one receipt is left for it.
    expect((await doubted).body.status).toBe('verified');
    expect(await shop.receiptOf(claimed.receiptId)).toMatchObject({
      status: 'matched',
      paymentId: byTrxId!.id,
    });
    expect(await shop.receiptOf(other.receiptId)).toMatchObject({
      status: 'matched',
      paymentId: byDigits!.id,
    });
  });
});

describe('cancelling', () => {
  it('beside the receipt ends either cancelled with the receipt free, or verified and told', async () => {
    const payments = await createPayments(60);
    const cases = payments.map(({ id }) => ({ id, trxId: newTrxId() }));
    await Promise.all(cases.map(({ id, trxId }) => shop.submit(id, { trxId })));
    const answers = await atOnce<{ status: number; body: { status?: unknown; code?: string } }>([
      ...cases.map(
        ({ id }) =>
          () =>
            shop.cancel(id),
      ),
      ...cases.map(
        ({ trxId }) =>
          () =>
            shop.receipt({ trxId }),
      ),
    ]);
    const verified: string[] = [];
    for (const [index, { id }] of cases.entries()) {
      const [cancelled, received] = [answers[index]!, answers[60 + index]!];
      const end = await shop.get(id);
      if (cancelled.status === 200) {
        expect([end.status, received.body.status], SEED).toEqual(['cancelled', 'unmatched']);
      } else {
        expect([cancelled.status, cancelled.body.code], SEED).toEqual([409, 'payment.verified']);
        expect([end.status, received.body.status], SEED).toEqual(['verified', 'matched']);
        verified.push(id);
      }
    }
    await expectWebhooksOf(verified);
  });

  it('beside the submission of money that is there ends in exactly one of the two', async () => {
    const payments = await createPayments(60);
    const cases = payments.map(({ id }) => ({ id, trxId: newTrxId() }));
    await Promise.all(cases.map(({ trxId }) => shop.receipt({ trxId })));
    const answers = await atOnce<{ status: number; body: { code?: string } }>([
      ...cases.map(
        ({ id }) =>
          () =>
            shop.cancel(id),
      ),
      ...cases.map(
        ({ id, trxId }) =>
          () =>
            shop.submit(id, { trxId }),
      ),
    ]);
    const verified: string[] = [];
    for (const [index, { id }] of cases.entries()) {
      const [cancelled, submitted] = [answers[index]!, answers[60 + index]!];
      expect([cancelled.status, submitted.status].sort(), SEED).toEqual([200, 409]);
      const isVerified = submitted.status === 200;
      expect((await shop.get(id)).status, SEED).toBe(isVerified ? 'verified' : 'cancelled');
      expect((isVerified ? cancelled : submitted).body.code, SEED).toBe(
        isVerified ? 'payment.verified' : 'payment.cancelled',
      );
      if (isVerified) verified.push(id);
    }
    await expectWebhooksOf(verified);
  });

  it('one payment of 20 callers succeeds once', async () => {
    const [payment] = await createPayments(1);
    const answers = await atOnce(times(20, () => () => shop.cancel(payment!.id)));
    expect(counted(answers.map(({ status }) => status)), SEED).toEqual({ 200: 1, 409: 19 });
  });

  it('frees the receipt for a payer who submits it at that instant: verified now or at the next try', async () => {
    for (let round = 0; round < 20; round += 1) {
      const [holder, next] = await createPayments(2);
      const trxId = newTrxId();
      await shop.receipt({ trxId, amount: 499 });
      await shop.submit(holder!.id, { trxId });
      await atOnce<unknown>([() => shop.cancel(holder!.id), () => shop.submit(next!.id, { trxId })]);
      await shop.submit(next!.id, { trxId });
      expect(await shop.get(next!.id), SEED).toMatchObject({ status: 'review', reviewReason: 'underpaid' });
    }
  });
});

describe('users who decide at the same instant', () => {
  /** Payments in review, each with its own receipt of 499 instead of 500. */
  async function underpaid(count: number): Promise<string[]> {
    const payments = await createPayments(count);
    await Promise.all(
      payments.map(async ({ id }) => {
        const trxId = newTrxId();
        await shop.receipt({ trxId, amount: 499 });
        const answer = await shop.submit(id, { trxId });
        expect(answer.body).toEqual({ status: 'review', reviewReason: 'underpaid' });
      }),
    );
    return payments.map(({ id }) => id);
  }

  it('approve or cancel, never both', async () => {
    const ids = await underpaid(40);
    await shop.admin();
    const answers = await atOnce<{ status: number }>([
      ...ids.map((id) => () => shop.approve(id)),
      ...ids.map((id) => () => shop.cancel(id)),
    ]);
    const verified: string[] = [];
    for (const [index, id] of ids.entries()) {
      const [approved, cancelled] = [answers[index]!, answers[40 + index]!];
      expect([approved.status, cancelled.status].sort(), SEED).toEqual([200, 409]);
      expect((await shop.get(id)).status, SEED).toBe(approved.status === 200 ? 'verified' : 'cancelled');
      if (approved.status === 200) verified.push(id);
    }
    await expectWebhooksOf(verified);
    const lines = (await shop.auditLog()).filter(({ action }) => action === 'payment.approved');
    expect(lines.map(({ details }) => String(details['paymentId'])).sort(), SEED).toEqual(verified.sort());
  });

  it('approve or reject, never both, and each only once', async () => {
    const ids = await underpaid(20);
    await shop.admin();
    const answers = await atOnce<{ status: number }>(
      ids.flatMap((id) => [
        () => shop.approve(id),
        () => shop.reject(id),
        () => shop.approve(id),
        () => shop.reject(id),
      ]),
    );
    for (const [index] of ids.entries()) {
      const four = answers.slice(4 * index, 4 * index + 4).map(({ status }) => status);
      expect(counted(four), SEED).toEqual({ 200: 1, 409: 3 });
    }
    const lines = (await shop.auditLog()).filter(({ action }) => action.startsWith('payment.'));
    expect(lines, SEED).toHaveLength(20);
  });

  it('give one receipt to one of two payments', async () => {
    await shop.admin();
    for (let round = 0; round < 15; round += 1) {
      const [left, right] = await createPayments(2);
      const { body: receipt } = await shop.receipt({ trxId: newTrxId() });
      const answers = await atOnce([
        () => shop.match(receipt.receiptId, left!.id),
        () => shop.match(receipt.receiptId, right!.id),
      ]);
      expect(counted(answers.map(({ status }) => status)), SEED).toEqual({ 200: 1, 409: 1 });
      expect(answers.find(({ status }) => status === 409)?.body.code, SEED).toBe('receipt.already_matched');
      const ends = await Promise.all([shop.get(left!.id), shop.get(right!.id)]);
      expect(counted(ends.map(({ status }) => status)), SEED).toEqual({ verified: 1, pending: 1 });
    }
    await receiver.waitFor(15);
  });

  it('give one payment one of two receipts', async () => {
    await shop.admin();
    for (let round = 0; round < 15; round += 1) {
      const [payment] = await createPayments(1);
      const first = await shop.receipt({ trxId: newTrxId() });
      const second = await shop.receipt({ trxId: newTrxId() });
      const answers = await atOnce([
        () => shop.match(first.body.receiptId, payment!.id),
        () => shop.match(second.body.receiptId, payment!.id),
      ]);
      expect(counted(answers.map(({ status }) => status)), SEED).toEqual({ 200: 1, 409: 1 });
      const receipts = await Promise.all([first, second].map(({ body }) => shop.receiptOf(body.receiptId)));
      expect(counted(receipts.map(({ status }) => status)), SEED).toEqual({ matched: 1, unmatched: 1 });
    }
  });

  it('give a receipt away while its payer submits it: one of the two has it', async () => {
    await shop.admin();
    for (let round = 0; round < 15; round += 1) {
      const [payer, other] = await createPayments(2);
      const trxId = newTrxId();
      const { body: receipt } = await shop.receipt({ trxId });
      const [submitted, matched] = await atOnce<{ status: number; body: { code?: string } }>([
        () => shop.submit(payer!.id, { trxId }),
        () => shop.match(receipt.receiptId, other!.id),
      ]);
      expect([submitted!.status, matched!.status].sort(), SEED).toEqual([200, 409]);
      expect((submitted!.status === 409 ? submitted! : matched!).body.code, SEED).toBe(
        submitted!.status === 409 ? 'payment.trx_id_used' : 'receipt.already_matched',
      );
    }
    await noLostMatch();
  });

  it('exchange the receipt of a payment while another payer waits for the old one', async () => {
    await shop.admin();
    for (let round = 0; round < 15; round += 1) {
      const [holder, next] = await createPayments(2);
      const oldTrxId = newTrxId();
      await shop.receipt({ trxId: oldTrxId, amount: 499 });
      await shop.submit(holder!.id, { trxId: oldTrxId });
      const { body: better } = await shop.receipt({ trxId: newTrxId() });
      await atOnce<unknown>([
        () => shop.match(better.receiptId, holder!.id),
        () => shop.submit(next!.id, { trxId: oldTrxId }),
      ]);
      expect((await shop.get(holder!.id)).status, SEED).toBe('verified');
      await shop.submit(next!.id, { trxId: oldTrxId });
      expect(await shop.get(next!.id), SEED).toMatchObject({ status: 'review', reviewReason: 'underpaid' });
    }
  });
});

describe('sweeps on both replicas', () => {
  it('at once, beside the payers, expire and match everything once', async () => {
    const expiring = await createPayments(20, { expiresInSeconds: 60 });
    const paying = await createPayments(20, { expiresInSeconds: 3_600 });
    const cases = paying.map(({ id }) => ({ id, trxId: newTrxId() }));
    service.clock.advance(61_000);
    await atOnce<unknown>([
      ...times(6, (index) => () => service.sweep(index % 2)),
      ...cases.flatMap(({ id, trxId }) => [() => shop.submit(id, { trxId }), () => shop.receipt({ trxId })]),
      ...expiring.map(
        ({ id }) =>
          () =>
            shop.submit(id, { trxId: newTrxId() }),
      ),
    ]);
    await service.sweep();
    const statuses = await Promise.all([...expiring, ...paying].map(({ id }) => shop.get(id)));
    expect(counted(statuses.map(({ status }) => status)), SEED).toEqual({ expired: 20, verified: 20 });
    await noLostMatch();
    await expectWebhooksOf(paying.map(({ id }) => id));
  });
});
