import { describe, expect, it } from 'vitest';
import { bkashText } from '../../support/bkash-text.js';
import { minuteInDhaka } from '../../support/money-clock.js';
import { newTrxId } from '../../support/money-shop.js';
import { useShop } from '../../support/use-shop.js';

/* Rules: contract 9.22 to 9.24. */

const { service, shop } = useShop({ replicas: 1 });

interface Answer {
  readonly receiptId?: string;
  readonly status: string;
  readonly reason?: string;
}

const sms = (text: string, more: object = {}) =>
  shop.http.post<Answer>('/api/webhooks/joma/sms', { from: 'bKash', text, ...more }, shop.store.phone);

const received = (trxId: string, amount = '500.00', { balance = '9,000.00', ref = '' } = {}) =>
  bkashText(trxId, service.clock.now(), { amount, balance, reference: ref });

describe('a text that holds several whole messages', () => {
  it.each([' ', '\n', '  \n '])(
    'becomes as many receipts, and pays as many payments: %j',
    async (between) => {
      const trxIds = [newTrxId(), newTrxId(), newTrxId()];
      const ids: string[] = [];
      for (const [index, trxId] of trxIds.entries()) {
        const { id } = await shop.create({ amount: 500 + index });
        await shop.submit(id, { trxId });
        ids.push(id);
      }
      const texts = trxIds.map((trxId, index) => received(trxId, `${500 + index}.00`));
      const { status, body } = await sms(texts.join(between));
      expect([status, body.status]).toEqual([200, 'matched']);
      for (const id of ids) expect(await shop.stateOf(id)).toBe('verified');
      const kept = await shop.messages();
      expect(kept.map(({ text }) => text).sort()).toEqual(texts.sort());
      expect(new Set(kept.map(({ receiptId }) => receiptId)).size).toBe(3);
      // Sent again, they are duplicates.
      expect((await sms(texts.join(between))).body.status).toBe('duplicate');
      for (const id of ids) expect(await shop.stateOf(id)).toBe('verified');
    },
  );

  it('honest: a whole message and a half one are unread, as before, and lose nothing', async () => {
    const text = `${received(newTrxId())} You have received Tk 20.00 from 0170`;
    expect((await sms(text)).body).toMatchObject({ status: 'unread' });
    expect((await shop.messages()).map((one) => one.text)).toEqual([text]);
  });

  it('attack: the reference of a payer that looks like the end of one message and the start of another', async () => {
    const [trxId, forged] = [newTrxId(), newTrxId()];
    const end = `1. Fee Tk 0.00. Balance Tk 1.00. TrxID ${forged} at ${minuteInDhaka(service.clock.now())}`;
    const ref = `${end} You have received Tk 9,999.00 from 01700000009`;
    const victim = await shop.create({ amount: 9_999 });
    await shop.submit(victim.id, { trxId });
    const payment = await shop.create({ amount: 10 });
    await shop.submit(payment.id, { trxId });
    await sms(received(trxId, '10.00', { ref }));
    // It becomes one receipt, of the amount that came, and a user looks at it.
    expect(await shop.messages()).toHaveLength(1);
    expect(await shop.stateOf(payment.id)).toBe('review: flagged');
    expect((await shop.get(victim.id)).status).not.toBe('verified');
  });
});

describe('a notification of an app', () => {
  it.each(['package', 'packageName'])('attack: named by `%s` it is kept, and pays nothing', async (name) => {
    const { id, trxId } = await shop.submitted();
    const { body } = await sms(received(trxId), { [name]: 'com.example.thief' });
    expect(body).toMatchObject({ status: 'ignored', reason: 'unknown_sender' });
    expect(await shop.stateOf(id)).toBe('submitted');
    expect((await shop.messages())[0]).toMatchObject({ status: 'ignored', receiptId: null });
  });

  it('honest: `contact` is how a forwarder names the sender of an SMS', async () => {
    const body = { from: undefined, contact: 'bKash' };
    expect((await sms(received(newTrxId()), body)).body.status).toBe('unmatched');
  });
});

describe('balance_gap', () => {
  const flagsOf = async (balance: string, more: object = {}) => {
    const { receiptId } = (await sms(received(newTrxId(), '500.00', { balance }), more)).body;
    return (await shop.receiptOf(receiptId!)).flags;
  };

  it('is not raised over two SIMs, or two phones', async () => {
    for (const line of [{ sim: 'sim1' }, { sim: 'sim2' }, { deviceId: 'a' }, { deviceId: 'b' }]) {
      const first = 5_000 + 1_000 * JSON.stringify(line).length;
      expect(await flagsOf(`${first}.00`, line)).toEqual([]);
    }
    expect(await flagsOf('1,000.00', { sim: 'sim1' })).toEqual(['balance_gap']);
    expect(await flagsOf('1,500.00', { sim: 'sim1' })).toEqual([]);
  });

  it('is not raised between Nagad’s own money and its Bangla QR money, one account or two', async () => {
    const flags = async (balance: number, provider: 'nagad' | 'qr') => {
      const answer = await shop.receipt({
        provider,
        trxId: newTrxId(),
        last4digit: provider === 'qr' ? '0042' : undefined,
        counterparty: provider === 'qr' ? undefined : '01700000002',
        balance,
      });
      service.clock.advance(1);
      return (await shop.receiptOf(answer.body.receiptId)).flags.filter((flag) => flag === 'balance_gap');
    };
    // One account: each goes on from the other.
    expect(await flags(1_000, 'nagad')).toEqual([]);
    expect(await flags(1_500, 'qr')).toEqual([]);
    expect(await flags(2_000, 'nagad')).toEqual([]);
    // Two accounts: each goes on from itself.
    expect(await flags(2_000, 'qr')).toEqual([]);
    expect(await flags(2_500, 'nagad')).toEqual([]);
    expect(await flags(7_777, 'nagad')).toEqual(['balance_gap']);
  });
});
