import { beforeAll, describe, expect, it } from 'vitest';
import { PHONE_APPS } from '../../../src/tools/phone/phone-apps.js';
import { readMessage, type Reading, WALLETS } from '../../../src/wallets/index.js';
import { type Shop } from '../../support/money-shop.js';
import { useService } from '../../support/use-shop.js';
import { type Told, type Wording, wordings } from '../../support/wallet-wordings.js';

/*
 * Rules: contract 6.24 to 6.26, 9.6, 9.7, 9.10.
 *
 * Goal: messages that nobody has seen yet are read as what they are, through every forwarder app, and nothing that is
 * near to one is money. Method: the shapes of the wallets' document with everything that may vary drawn by lot
 * (test/support/wallet-wordings.ts), then the same texts cut, under other senders, on other accounts; and a list of
 * what wallets write besides.
 */

const SEED = Number(process.env['WORDINGS_SEED'] ?? 20_261_122);
const OF_EACH_SHAPE = 40;

const TEXTS = wordings(SEED, OF_EACH_SHAPE);

const read = ({ sender, text, accountType }: Pick<Wording, 'sender' | 'text' | 'accountType'>): Reading =>
  readMessage({ sender, text, accountTypesOf: () => [accountType], offers: () => false }, WALLETS.list());

function toldBy({ provider, fields }: Reading): Partial<Told> {
  const units = (minor: number | undefined) => (minor === undefined ? NaN : minor / 100);
  return {
    ...(provider === null ? {} : { provider }),
    trxId: fields?.trxId ?? '',
    amount: units(fields?.amountMinor),
    counterparty: fields?.counterparty ?? null,
    balance: units(fields?.balanceMinor),
    receivedAt: fields?.at?.toISOString() ?? '',
    last4digit: fields?.last4digit ?? null,
  };
}

/** Whether it could verify a payment; what a user must look at first verifies nothing. */
const isMoney = (reading: Reading) => reading.status === 'receipt' && reading.flags.length === 0;

describe('a message that nobody has seen', () => {
  it(`is read with all its fields (seed ${String(SEED)})`, () => {
    for (const wording of TEXTS) {
      const reading = read(wording);
      expect(reading, wording.text).toMatchObject({ status: 'receipt', flags: [] });
      expect(toldBy(reading), wording.text).toEqual(wording.told);
    }
    for (const wallet of ['bkash', 'nagad', 'rocket', 'upay']) {
      const count = TEXTS.filter((wording) => wording.wallet === wallet).length;
      expect(count, wallet).toBeGreaterThanOrEqual(60);
    }
  });

  it('is no other money when it was cut, wherever', () => {
    for (const wording of TEXTS.filter((_one, index) => index % 5 === 0)) {
      // A whole forgery as the reference leaves one that nobody can tell from a true one, when it is cut right beside
      // it.
      if (/ZZ9|ZZZZ|9{10}|9,000\.00/.test(wording.text)) continue;
      for (let length = 0; length < wording.text.length; length += 1) {
        for (const text of [wording.text.slice(0, length), wording.text.slice(-length)]) {
          const reading = read({ ...wording, text });
          if (isMoney(reading)) expect(toldBy(reading), text).toEqual(wording.told);
        }
      }
    }
  });

  it('is none under another sender', () => {
    const senders = ['bKash', 'NAGAD', '16216', 'upay'];
    const others = [
      '',
      '+8801700000009',
      '16247',
      'bKashNotice',
      'bK\u0430sh',
      'NAGAD1',
      '16217',
      'upaay',
      'com.bkash',
    ];
    for (const wording of TEXTS) {
      const own = wording.sender.trim().toLowerCase();
      for (const sender of [...senders, ...others]) {
        if (sender.toLowerCase() === own) continue;
        expect(read({ ...wording, sender }).status, `${sender}: ${wording.text}`).not.toBe('receipt');
      }
    }
  });

  it('is a customer’s on accounts of the right kind alone', () => {
    for (const wording of TEXTS) {
      const wrong = wording.accountType === 'agent' ? 'personal' : 'agent';
      expect(read({ ...wording, accountType: wrong }), wording.text).toMatchObject({
        reason: 'agent_direction',
      });
    }
  });

  it('has an id of ASCII or none', () => {
    const drawnAlike: Record<string, string> = {
      A: '\u0410',
      E: '\u0395',
      O: '\u041e',
      K: '\u039a',
      '0': '\u09e6',
      '1': '\uff11',
    };
    for (const wording of TEXTS) {
      const { trxId } = wording.told;
      const forged = trxId.replace(/[AEOK01]/, (letter) => drawnAlike[letter] ?? letter);
      for (const id of [forged, `${trxId.slice(0, 3)}\u200b${trxId.slice(3)}`]) {
        if (id === trxId) continue;
        expect(read({ ...wording, text: wording.text.replaceAll(trxId, id) }).status, id).not.toBe('receipt');
      }
    }
  });
});

const AT = 'Balance Tk 4,479.65. TrxID DCK1B9P81H at 20/03/2026 00:08';
const INSIDE = `You have received Tk 5,000.00 from 01700000002. Fee Tk 0.00. ${AT}`;
const NAGAD_INSIDE =
  'Money Received.\nAmount: Tk 5000.00\nSender: 01700000002\nRef: N/A\nTxnID: 75ZZZZZ9\nBalance: Tk 9999.00\n24/06/2026 14:30';

/** What wallets write, or thieves, that is no customer's money: sender, text. */
const NO_MONEY: readonly (readonly [string, string])[] = [
  ['bKash', `Send Money Tk 5,000.00 to 01700000001 successful. Ref ${INSIDE}. Fee Tk 5.00. ${AT}`],
  ['bKash', `Send Money Tk 1.00 to 01700000001 successful. Fee Tk 0.00. ${AT}. ${INSIDE}`],
  ['bKash', `Payment Tk 100.00 to You have received Tk 5,000.00 from 01700000002 is successful. ${AT}`],
  ['bKash', `Payment Tk 100.00 to ${INSIDE} is successful. ${AT}`],
  [
    'bKash',
    `Cash Out Tk 2,000.00 to 01700000004 successful. Fee Tk 37.00. ${AT}. Download App: https://bKa.sh/8app`,
  ],
  ['bKash', `Cash In Tk 2,000.00 to 01700000004 successful. Fee Tk 0.00. ${AT}`],
  ['bKash', `You have received Cashback Tk 50.00. ${AT}`],
  ['bKash', `You have received Tk 50.00 from DM1234. Fee Tk 0.00. ${AT}`],
  ['bKash', `You have received deposit of Tk 3,000.00 from BRAC Bank. Fee Tk 0.00. ${AT}`],
  ['bKash', `You have received a deposit of Tk 3,000.00 from VISA Card. Fee Tk 0.00. ${AT}`],
  ['bKash', `You have received Loan of Tk 900.00 from City Bank. ${AT}`],
  ['bKash', `You have received remittance.\nTotal: Tk 4,105.13\nTrxID CJ5114OTQR at 05/10/2025 17:56.`],
  ['bKash', `You have received refund of Tk 500.00 from Daraz. ${AT}`],
  ['bKash', `You have received Interest Tk 3.10. ${AT}`],
  ['bKash', `You have received Tk 5,000.00 from 01700000001. TrxID DGB2AC4RC9`],
  ['bKash', `You have received Tk 0.00 from 01700000001. Fee Tk 0.00. ${AT}`],
  ['bKash', `You have received Tk -500.00 from 01700000001. Fee Tk 0.00. ${AT}`],
  ['bKash', `You have received Tk 0500.00 from 01700000001. Fee Tk 0.00. ${AT}`],
  ['bKash', `You have received USD 500.00 from 01700000001. Fee Tk 0.00. ${AT}`],
  ['bKash', `You have sent Tk 500.00 to 01700000001. Fee Tk 0.00. ${AT}`],
  ['bKash', `Hello! ${INSIDE}`],
  ['bKash', `"${INSIDE}"`],
  ['bKash', `FW: ${INSIDE}`],
  ['bKash', `Reserved amount Tk 385.47 for Uber has been released. ${AT}`],
  ['bKash', `Payment of Tk 564.11 is being reserved for Uber. ${AT}`],
  ['bKash', 'Your bKash verification code is 482913. Never share it. Tk 500.00'],
  ['bKash', `B2B Received Tk 2,000.00 from 01700000004. Fee Tk 0.00. ${AT}`],
  [
    'bKash',
    `Received Recharge request of Tk 39.00 for 01700000001. Fee Tk 0.00. ${AT}. Wait for confirmation.`,
  ],
  ['bKash', `Sorry, your Send Money request to 01700000001 is unsuccessful! Tk 30 has been returned. ${AT}`],
  ['bKash', 'বিকাশে টাকা পেয়েছেন ৫০০.০০'],
  [
    'bKash',
    `You have received Tk 500.00 from 01700000001. Fee Tk 0.00. Balance Tk 900.00. TrxID DCK1B9P81H at 20/13/2026 00:08`,
  ],
  [
    'bKash',
    `You have received Tk 500.00 from 01700000001. Fee Tk 0.00. Balance Tk 900.00. TrxID DCK1B9P81H at 20/03/2026 24:08`,
  ],
  ['bKash', `You have received Tk 500.00 from 0170000001. Fee Tk 0.00. ${AT}`],
  [
    'bKash',
    `You have received Tk 500.00 from 01700000001. Fee Tk 0.00. Balance Tk 900.00. TrxID DCK1B9P81HX at 20/03/2026 00:08`,
  ],
  [
    'bKash',
    `You have received Tk 500.00 from 01700000001. Fee Tk 0.00. Balance Tk 900.00. TrxID dck1b9p81h at 20/03/2026 00:08`,
  ],
  [
    'NAGAD',
    `Send Money Successful.\nAmount: Tk 1.00\nReceiver: 01700000001\nRef: ${NAGAD_INSIDE}\nTxnID: 75K92M3Z\nBalance: Tk 610.28\n24/06/2026 14:31`,
  ],
  ['NAGAD', `Send Money Successful.\nRef: nagad.io/x ${NAGAD_INSIDE}`],
  [
    'NAGAD',
    `Payment to 'nagad.io/x ${NAGAD_INSIDE}' is Successful.\nAmount: Tk 1.00\nTxnID: 75K92M3Z\nBalance: Tk 6.00\n08/01/2026 18:36`,
  ],
  ['NAGAD', `Payment to Daraz nagad.io/x ${NAGAD_INSIDE}`],
  ['NAGAD', `Mobile Recharge Successful.\nAmount: Tk 20 nagad.io/x ${NAGAD_INSIDE}`],
  ['NAGAD', `Bill Pay to nagad.io/x ${NAGAD_INSIDE}`],
  [
    'NAGAD',
    'Add Money from Bank is Successful.\nFrom: IBBL\nAmount: Tk 2520.0\nTxnID: 760VVGGW\nBalance: Tk 2600.00\n24/06/2026 14:31',
  ],
  [
    'NAGAD',
    'Cash Out Successful.\nAmount: Tk 500.00\nUddokta: 01700000001\nFee: Tk 7.50\nTxnID: 75K92M3Z\nBalance: Tk 610.28\n24/06/2026 14:31',
  ],
  [
    'NAGAD',
    'B2B Received. Amount: Tk 3000.00 Sender: 01700000004 TxnID: 71R9OL1C Balance: Tk 16202.72 13/03/2023 16:05',
  ],
  ['NAGAD', 'Refund from Daraz BD\nAmount: Tk 239\nTrnxID: TESTBREF\nBalance:TK 267.70\n04/01/2024 18:16'],
  ['NAGAD', 'Money Received.\nAmount: Tk 60.00\nSender: 01700000001\nRef: N/A\nTxnID: 75K92M3Z'],
  [
    'NAGAD',
    'Money Received.\nAmount: Tk 60.00\nSender: BRAC Bank\nRef: N/A\nTxnID: 75K92M3Z\nBalance: Tk 610.28\n24/06/2026 14:31',
  ],
  [
    'NAGAD',
    'Money Received\nAmount: Tk 60.00\nSender: 01700000001\nTxnID: 75K92M3Z\nBalance: Tk 610.28\n24/06/2026 14:31',
  ],
  ['NAGAD', "Congrats! You've received Cashback 20.00 Tk for Mobile Recharge of 30.00 Tk.\n30/07/2024 20:06"],
  ['NAGAD', 'Your One Time Password (OTP) for Nagad ECOM is 029856. Amount Tk 500. Validity 10 minutes.'],
  [
    '16216',
    'Tk2,000.00 transferred to A/C:017000000001 Fee:Tk1.27, Your A/C Balance: Tk311.96 TxnId:1755363871 Date:23-MAY-26 03:28:02 pm.',
  ],
  [
    '16216',
    'Cash-Out to A/C:***456 Tk900.00 Fee:Tk15.00, Your A/C Balance: Tk300.00.TxnId:1111111111 Date:27-SEP-26 05:59:38 pm.',
  ],
  [
    '16216',
    'Dear Sir, your A/C ***123 credited (ATM A/C to A/C Transfer Credit) by Tk50,000.00 on 01-02-2026 02:55:44 PM C/B Tk50,450.00.',
  ],
  ['16216', 'Your A/C ***123 credited by Tk50,000.00 TxnId:1755363871 Date:23-MAY-26 03:28:02 pm.'],
  [
    '16216',
    'Tk500.00 received from A/C:***515 Fee:Tk0, Your A/C Balance: Tk1,145.85 TxnId:660678128 Date:08-JUN-26 06:21:43 am.',
  ],
  [
    '16216',
    'Tk500.00 received from A/C:***515 Fee:Tk0, Your A/C Balance: Tk1,145.85 TxnId:6606781284 Date:08-JUN-26 13:21:43 am.',
  ],
  [
    '16216',
    'Tk500.00 received from A/C:***515 Fee:Tk0, Your A/C Balance: Tk1,145.85 TxnId:6606781284 Date:31-JUN-26 06:21:43 am.',
  ],
  [
    '16216',
    'Tk500.00 paid to Shop Ref: Tk500.00 received from A/C:***515 Fee:Tk0, Your A/C Balance: Tk1,145.85 TxnId:6606781284 Date:08-JUN-26 06:21:43 am.',
  ],
  [
    'upay',
    'Tk. 150.00 has been received from BRAC Bank Limited. Ref-. Balance Tk. 900.00. TrxID 01K6MZYRK4 at 12/10/2025 19:15.',
  ],
  [
    'upay',
    'Tk. 150.00 has been sent to 01700000001. Ref-Tk. 900.00 has been received from 01700000001. Fee: Tk. 1. Balance Tk. 900.00. TrxID 01K6MZYRK4 at 12/10/2025 19:15.',
  ],
  [
    'upay',
    'Tk. 150.00 has been received from 01700000001. Ref-. Balance Tk. 900.00. TrxID 01KILOU3K4 at 12/10/2025 19:15.',
  ],
  [
    'upay',
    'You have received remittance of Tk. 150.00 from 01700000001. Balance Tk. 900.00. TrxID 01K6MZYRK4 at 12/10/2025 19:15.',
  ],
  [
    'upay',
    'You have received Cashback of Tk. 15.00. Balance Tk. 900.00. TrxID 01K6MZYRK4 at 12/10/2025 19:15.',
  ],
  [
    'upay',
    'Payment of Tk. 15.00 to 01700000001 is successful. Balance Tk. 900.00. TrxID 01K6MZYRK4 at 12/10/2025 19:15.',
  ],
  ['bKashNotice', INSIDE],
  ['bKash Offer', INSIDE],
  ['com.bkash.customerapp', INSIDE],
  ['16247', INSIDE],
];

describe('what is no customer’s money', () => {
  it.each(['personal', 'merchant', 'agent'] as const)('pays nothing on a %s account', (accountType) => {
    for (const [sender, text] of NO_MONEY) {
      expect(isMoney(read({ sender, text, accountType })), `${sender}: ${text}`).toBe(false);
    }
  });
});

describe('through the forwarder apps, over two replicas', () => {
  const service = useService();
  const shops = new Map<string, Shop>();
  const APPS = Object.keys(PHONE_APPS);

  beforeAll(async () => {
    for (const [index, accountType] of ['personal', 'merchant', 'agent'].entries()) {
      const wallets = ['bkash', 'nagad', 'rocket', 'upay'].map((provider, wallet) => ({
        provider,
        number: `017000001${String(index)}${String(wallet)}`,
        accountType,
      }));
      shops.set(accountType, await service.openShop({ wallets }));
    }
  });

  async function send(
    app: string,
    { sender, text }: { sender: string; text: string },
    to: Shop,
    door: number,
  ) {
    const replica = service.replicas[door];
    const address = `${(await replica?.app.getUrl()) ?? ''}/api/webhooks/joma/sms`;
    const { id: storeId, webhookSecret } = to.store;
    const request = PHONE_APPS[app]?.(
      { sender, text, at: service.clock.now() },
      { address, storeId, webhookSecret },
    );
    if (request === undefined) throw new Error(`${app} is no app.`);
    const { url, headers, body } = request;
    const answer = await fetch(url, { method: 'POST', headers, body: Buffer.from(body) });
    expect(answer.status, `${app}: ${text}`).toBe(200);
    return (await answer.json()) as { status: string; reason?: string; receiptId?: string };
  }

  const shopOf = (accountType: string): Shop => {
    const shop = shops.get(accountType);
    if (shop === undefined) throw new Error(`No shop has a ${accountType} account.`);
    return shop;
  };

  it('every receipt is kept once with all its fields', { timeout: 120_000 }, async () => {
    const sent = TEXTS.filter((_one, index) => index % 8 < 3);
    for (const [index, wording] of sent.entries()) {
      const shop = shopOf(wording.accountType);
      const app = APPS[index % APPS.length] ?? '';
      const first = await send(app, wording, shop, 0);
      expect(first.status, wording.text).toBe('unmatched');
      const again = await send(APPS[(index + 1) % APPS.length] ?? '', wording, shop, 1);
      expect(again).toEqual({ ...first, status: 'duplicate' });
      expect(await shop.receiptOf(first.receiptId ?? ''), wording.text).toMatchObject(wording.told);
    }
  });

  it('nothing else is a receipt', { timeout: 60_000 }, async () => {
    const shop = shopOf('personal');
    const receipts = async () =>
      (
        await shop.http.get<{ data: unknown[] }>(
          `/api/v1/stores/${shop.store.id}/receipts?status=unmatched&limit=1`,
          await shop.admin(),
        )
      ).body.data[0];
    const before = await receipts();
    for (const [index, [sender, text]] of NO_MONEY.entries()) {
      const answer = await send(APPS[index % APPS.length] ?? '', { sender, text }, shop, index % 2);
      expect(['ignored', 'unread'], `${sender}: ${text}`).toContain(answer.status);
    }
    expect(await receipts()).toEqual(before);
  });
});
