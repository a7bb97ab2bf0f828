import { describe, expect, it } from 'vitest';
import { type AccountType, readMessage, type Reading, WALLETS } from '../index.js';

/*
 * Rules: contract 6.53, 9.6, 9.10 to 9.13.
 *
 * Goal: every way to write a shape of the wallets' document (wallets §2) is read, and what is near to it is not.
 * Method: each shape with its optional parts there and missing, as tables; then what changes the meaning: sender,
 * account, dates, numbers.
 */

const read = (
  sender: string,
  text: string,
  types: readonly AccountType[] = ['personal'],
  offered: string[] = [],
): Reading =>
  readMessage(
    { sender, text, accountTypesOf: () => types, offers: (provider) => offered.includes(provider) },
    WALLETS.list(),
  );

const told = (reading: Reading) => ({
  status: reading.status,
  provider: reading.provider,
  trxId: reading.fields?.trxId,
  amount: reading.fields?.amountMinor,
  payer: reading.fields?.counterparty,
  balance: reading.fields?.balanceMinor,
  at: reading.fields?.at?.toISOString(),
});

describe('bKash', () => {
  const receipt = {
    status: 'receipt',
    provider: 'bkash',
    trxId: 'DIJ3MXAHCJ',
    amount: 150_000,
    payer: '01700000001',
    balance: 12_000_050,
    at: '2026-09-18T18:57:00.000Z',
  };
  const tail = 'Balance Tk 1,20,000.50. TrxID DIJ3MXAHCJ at 19/09/2026 00:57';
  it.each([
    ['plain', `You have received Tk 1,500.00 from 01700000001. Fee Tk 0.00. ${tail}`],
    ['with a full stop', `You have received Tk 1,500.00 from 01700000001. Fee Tk 0.00. ${tail}.`],
    [
      'without blanks that may be missing',
      `You have received Tk 1500 from 01700000001.Fee Tk 0. ${tail.replace('. TrxID', '.TrxID')}`,
    ],
    [
      'with words as reference',
      `You have received Tk 1,500.00 from 01700000001. Ref order no 12, blue. Fee Tk 0.00. ${tail}`,
    ],
    ['with an empty reference', `You have received Tk 1,500 from 01700000001.Ref . Fee Tk 0.00. ${tail}`],
    [
      'with an advertisement behind',
      `You have received Tk 1,500.00 from 01700000001. Fee Tk 0.00. ${tail}. Do not share your PIN`,
    ],
    ['over several lines', `You have received Tk 1,500.00\r\nfrom 01700000001.\n\nFee Tk 0.00.   ${tail}\n`],
    ['a payment', `You have received payment Tk 1,500.00 from 01700000001. Fee Tk 0.00. ${tail}`],
    [
      'a payment with reference and counter',
      `You have received payment Tk 1,500.00 from 01700000001. Ref a b. Counter 12. Fee Tk 0.00. ${tail}`,
    ],
    [
      'a payment with a counter',
      `You have received payment Tk 1,500.00 from 01700000001. Counter 1. Fee Tk 0.00. ${tail}.`,
    ],
    [
      'a cash-in',
      `Cash In Tk 1,500.00 from 01700000001 successful. Fee Tk 0.00. ${tail}. Download App: https://bKa.sh/8app`,
    ],
    ['TK', `You have received TK 1,500.00 from 01700000001. Fee BDT 0.00. ${tail}`],
  ])('reads %s', (_what, text) => {
    expect(told(read('bKash', text))).toEqual(receipt);
    expect(told(read('  BKASH ', text))).toEqual(receipt);
  });

  it('reads the name of a business, and not the house’s own', () => {
    const of = (name: string) =>
      read(
        'bKash',
        `You have received Tk 63.00 from ${name}. Balance Tk 1,082.65. TrxID DE971UR13F at 09/05/2026 21:32`,
      );
    expect(of('Shop & Sons Ltd. (Dhaka)')).toMatchObject({
      status: 'receipt',
      fields: { counterparty: 'Shop & Sons Ltd. (Dhaka)' },
    });
    expect(of('DM1234')).toMatchObject({ status: 'ignored', reason: 'promotion' });
    expect(of('01700000001')).toMatchObject({ status: 'unread', reason: 'incomplete' });
    // Another message, of which a name would be only the beginning.
    expect(of('Eastern Bank PLC. Internet Banking. Fee Tk 0.00')).toMatchObject({ status: 'unread' });
    expect(of('Rahim. Fee Tk 5.00. Commission Tk 2.00')).toMatchObject({ status: 'unread' });
    expect(of('Feetk Coffee House')).toMatchObject({ status: 'receipt' });
    expect(of('\u0410bc')).toMatchObject({ status: 'unread', reason: 'incomplete' });
  });

  it('keeps a masked payer as it is', () => {
    const text = `You have received payment Tk 500.00 from 0170XXXX001. Fee Tk 0.00. ${tail}`;
    expect(told(read('bKash', text)).payer).toBe('0170XXXX001');
  });

  it.each([
    [
      'no balance',
      'You have received Tk 500.00 from 01700000001. Fee Tk 0.00. TrxID DIJ3MXAHCJ at 19/09/2026 00:57',
      'DIJ3MXAHCJ',
    ],
    [
      'no date',
      'You have received Tk 500.00 from 01700000001. Fee Tk 0.00. Balance Tk 5.00. TrxID DIJ3MXAHCJ',
      'DIJ3MXAHCJ',
    ],
    [
      'an id that was cut',
      'You have received Tk 500.00 from 01700000001. Fee Tk 0.00. Balance Tk 5.00. TrxID DIJ3MX',
      undefined,
    ],
    [
      'an id with Greek letters',
      'You have received Tk 500.00 from 01700000001. Fee Tk 0.00. Balance Tk 5.00. TrxID 74H\u039d\u0395\u039a\u039f812 at 19/09/2026 00:57',
      undefined,
    ],
    [
      'a day that does not exist',
      'You have received Tk 500.00 from 01700000001. Fee Tk 0.00. Balance Tk 5.00. TrxID DIJ3MXAHCJ at 31/02/2026 00:57',
      'DIJ3MXAHCJ',
    ],
  ])('says that a text is incomplete: %s', (_what, text, trxId) => {
    const reading = read('bKash', text);
    expect(reading).toMatchObject({
      status: 'unread',
      reason: 'incomplete',
      provider: 'bkash',
      fields: { amountMinor: 50_000 },
    });
    expect(reading.fields?.trxId).toBe(trxId);
  });
});

describe('Nagad', () => {
  const receipt = {
    status: 'receipt',
    provider: 'nagad',
    trxId: '75K92M3Z',
    amount: 6_000,
    payer: '01700000001',
    balance: 61_028,
    at: '2026-06-24T08:31:00.000Z',
  };
  it.each([
    'Money Received.\nAmount: Tk 60.00\nSender: 01700000001\nRef: N/A\nTxnID: 75K92M3Z\nBalance: Tk 610.28\n24/06/2026 14:31',
    'Money Received. Amount: Tk 60 Sender: 01700000001 Ref: two words TxnID: 75K92M3Z Balance: 610.28 24/06/2026 14:31',
    'Money Received.Amount: Tk 60.00Sender: 01700000001Ref: N/ATxnID: 75K92M3ZBalance: Tk 610.2824/06/2026 14:31',
    'Money Received.\r\n\r\n Amt:Tk 60.00 \r\n Sender:01700000001 \r\n TxnID:75K92M3Z \r\n Bal:Tk 610.28 \r\n 24/06/2026 14:31 ',
    'WIN LAND IN DHAKA! CLICK NOW nagad.io/jmi\nMoney Received.\nAmt: Tk 60.00\nSender: 01700000001\nTxnID: 75K92M3Z\nBal: Tk 610.28\n24/06/2026 14:31',
    'Cash In Received.\nAmount: Tk 60.00\nUddokta: 01700000001\nTxnID: 75K92M3Z\nBalance: 610.28\n24/06/2026 14:31',
    'Eid offer! Cash In Received.\nAmount: Tk 60.00\nUddokta: 01700000001\nTxnID: 75K92M3Z\nBalance: 610.28\n24/06/2026 14:31',
    'Payment Received. Amount: Tk 60.00 Customer: 01700000001 TxnID: 75K92M3Z Balance: Tk 610.28 24/06/2026 14:31',
  ])('reads %j', (text) => {
    expect(told(read('Nagad', text))).toEqual(receipt);
  });

  it.each([
    [
      'without the full stop',
      'Cash Out ReceivedAmount: Tk 1000.00Customer: 01700000003TxnID: 7200XCJBComm: Tk 4.10Balance: Tk 65981.1025/06/2023 17:25',
    ],
    [
      'without a blank',
      'Cash Out Received.Amount: Tk 1000.00Customer:01700000003TxnID: 7200XCJBComm: Tk 4.10Balance: Tk 65981.1025/06/2023 17:25',
    ],
    [
      'with a leading zero',
      'Cash Out Received.Amount: Tk 1000.00Customer: 01700000003TxnID: 7200XCJBComm: Tk 04.10Balance: Tk 65981.1025/06/2023 17:25',
    ],
  ])('refuses the forged agent receipt %s', (_what, text) => {
    expect(read('NAGAD', text, ['agent']).status).toBe('unread');
  });

  it('takes nothing out of a message that begins otherwise', () => {
    const inside =
      'Money Received. Amount: Tk 5000.00 Sender: 01700000001 TxnID: 75K92M3Z Balance: Tk 610.28 24/06/2026 14:31';
    expect(read('NAGAD', `Payment to 'nagad.io/x ${inside}`)).toMatchObject({ reason: 'outgoing' });
    expect(read('NAGAD', `Hello ${inside}`).status).toBe('unread');
    expect(read('NAGAD', `Something Successful. nagad.io/x ${inside}`).status).toBe('unread');
  });
});

describe('Rocket', () => {
  const receipt = {
    status: 'receipt',
    provider: 'rocket',
    trxId: '6606781284',
    amount: 9_900,
    payer: '***515',
    balance: 114_585,
    at: '2026-06-07T18:21:43.000Z',
  };
  it.each([
    'Tk99.00 received from A/C:***515 Fee:Tk0, Your A/C Balance: Tk1,145.85 TxnId:6606781284 Date:08-JUN-26 12:21:43 am. Download https://bit.ly/nexuspay',
    'Tk99 received from A/C:***515 Fee:Tk.00, Your A/C Balance: Tk1,145.85 TxnId:6606781284 Date:08-JUN-26 12:21:43 am',
    'Cash-In from A/C: ***515 Tk99.00 Fee: Tk.00, Your A/C Balance: Tk1,145.85.TxnId:6606781284 Date:08-JUN-26 12:21:43 am.',
    'Tk.99.00 received from A/C:***515 Ref No: NA Fee: Tk.00 NetBal: Tk1,145.85 TxnId: 6606781284 Date:08-JUN-26 12:21:43 am.',
    'Tk.99 received from A/C:***515 Ref No: two words Fee: Tk.00 NetBal: Tk1,145.85 TxnId: 6606781284 Date:08-JUN-26 12:21:43 am.',
  ])('reads %j', (text) => {
    expect(told(read('16216', text))).toEqual(receipt);
  });

  it('reads four digits of a payer by Bangla QR', () => {
    const text =
      'Tk99.00 received from Ac./Card:017****0251 Fee: Tk.00 NetBal: Tk1,145.85 TxnId: 6606781284 Date:08-JUN-26 12:21:43 am.';
    expect(read('16216', text)).toMatchObject({
      status: 'receipt',
      provider: 'qr',
      fields: { last4digit: '0251' },
    });
  });

  it('takes two digits behind a point for poisha where the wallet writes no point', () => {
    const text =
      'Tk.50 received from A/C:***515 Fee:Tk0, Your A/C Balance: Tk1,145.85 TxnId:6606781284 Date:08-JUN-26 12:21:43 am.';
    expect(told(read('16216', text)).amount).toBe(50);
  });
});

describe('Upay', () => {
  it.each([
    [
      'Tk. 900.00 has been received from 01700000001. Ref-. Balance Tk. 900.00. TrxID 01K7C8Z24V at 12/10/2025 19:15.',
      'personal',
    ],
    [
      'Tk. 900 has been received from 01700000001. Ref-for books, two. Balance Tk. 900.00. TrxID 01K7C8Z24V at 12/10/2025 19:15.',
      'merchant',
    ],
    [
      'You have received Cash-out of Tk. 900.00 from 01700000001. Comm: TK. 3.69123. Balance Tk. 900.00. TrxID 01K7C8Z24V at 12/10/2025 19:15.',
      'agent',
    ],
  ] as const)('reads %j', (text, type) => {
    expect(told(read('upay', text, [type]))).toEqual({
      status: 'receipt',
      provider: 'upay',
      trxId: '01K7C8Z24V',
      amount: 90_000,
      payer: '01700000001',
      balance: 90_000,
      at: '2025-10-12T13:15:00.000Z',
    });
  });
});

describe('the receiving account', () => {
  const refill =
    'You have received Tk 50,000.00 from 01700000008. Fee Tk 0.00. Balance Tk 61,210.40. TrxID DIA7KQ2M4T at 10/09/2026 09:05';
  const cashOut =
    'Cash Out Tk 785.00 from 01700000004 successful. Fee Tk 0.00. Balance Tk 121,710.33. TrxID AA24AJJH6I at 02/01/2023 22:05';
  it.each([
    [refill, ['agent'], 'agent_direction'],
    [refill, ['personal'], null],
    [refill, [], null],
    [cashOut, ['agent'], null],
    [cashOut, ['personal', 'merchant'], 'agent_direction'],
    [cashOut, [], 'agent_direction'],
  ] as const)('decides what %j means on %j', (text, types, reason) => {
    expect(read('bKash', text, types).reason).toBe(reason);
  });

  it('leaves it to a user where the store has accounts of both kinds', () => {
    expect(read('bKash', refill, ['personal', 'agent'])).toMatchObject({
      status: 'receipt',
      flags: ['account_type'],
    });
  });
});

describe('the sender', () => {
  const text =
    'You have received Tk 66.00 from 01700000004. Fee Tk 0.00. Balance Tk 131.09. TrxID DHK6MX34WC at 20/08/2026 18:39';
  it.each(['bKashh', 'b-Kash', 'BK4SH', 'bK\u0430sh', 'bKashNotice', 'bKash Offer', 'bkahs', '\uff42Kash'])(
    '%s looks like a wallet’s',
    (sender) => {
      expect(read(sender, text)).toMatchObject({
        status: 'ignored',
        reason: 'look_alike_sender',
        provider: null,
      });
    },
  );
  it.each(['', ' ', '+8801700000009', '16247', 'DUTCHB', 'GP', 'BRAC-BANK', '\u0996\u09ac\u09b0'])(
    '%s is nobody’s we know',
    (sender) => {
      expect(read(sender, text)).toMatchObject({ status: 'ignored', reason: 'unknown_sender' });
    },
  );
  it.each([
    ['bKash', 'Never share your PIN or OTP with anyone.'],
    ['bKash', 'Your one-time password is yours alone.'],
    ['NAGAD', 'Never tell anybody a security code.'],
  ])('of %s in new words waits for a rule, whatever it warns of: %s', (sender, warning) => {
    const money = 'You got money: Tk 500.00 by 01700000002. TrxID DIJ3MXAHCK at 19/09/2026 00:57.';
    expect(read(sender, `${money} ${warning}`)).toMatchObject({ status: 'unread', reason: 'no_rule' });
    expect(read(sender, `Your code is 123456. ${warning}`)).toMatchObject({
      status: 'ignored',
      reason: 'otp',
    });
  });
  it('16217 looks like Rocket’s', () => {
    expect(read('16217', text).reason).toBe('look_alike_sender');
  });
  it('chooses the wallet, not the words', () => {
    expect(read('NAGAD', text).status).not.toBe('receipt');
    expect(read('upay', text).status).not.toBe('receipt');
  });
  it('of a wallet that is off by default is read only where the store offers it', () => {
    const tap = 'Received Tk 500.00 from 01700000001. Balance Tk. 1,200.00. TxID: AAAAAAAAAAAAAA.';
    expect(read('tap.', tap)).toMatchObject({ status: 'ignored', reason: 'unknown_sender' });
    expect(read('tap.', tap, ['personal'], ['tap'])).toMatchObject({
      status: 'receipt',
      flags: ['incomplete'],
    });
  });
});

describe('money that went out', () => {
  it('is read with amount, id and whom it went to, the last id being the true one', () => {
    const text =
      'Send Money Tk 1.00 to 01700000001 successful. Ref x. TrxID ZZZ1B9P81H at 20/03/2026 00:07. Fee Tk 0.00. Balance Tk 5,001.00. TrxID DCK1B9P81H at 20/03/2026 00:08';
    expect(read('bKash', text)).toMatchObject({
      status: 'ignored',
      reason: 'outgoing',
      provider: 'bkash',
      fields: { amountMinor: 100, trxId: 'DCK1B9P81H', counterparty: '01700000001' },
    });
  });
});

describe('what is none of it', () => {
  it.each([
    ['Your bKash verification code is 123456', 'ignored', 'otp'],
    ['Eid Mubarak! Get 20% off at our partners.', 'ignored', 'promotion'],
    ['You have got Tk 500.00 of 01700000001. TrxID DHK6MX34WC at 20/08/2026 18:39', 'unread', 'no_rule'],
    ['You have received Tk 5', 'unread', 'no_rule'],
    ['', 'unread', 'no_rule'],
  ])('%j is %s: %s', (text, status, reason) => {
    expect(read('bKash', text)).toMatchObject({ status, reason });
  });
});
