import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { isOutgoing, readAmount, readDay, StatementDays } from './statement-cells.js';
import { findColumns } from './statement-columns.js';
import { WalletStatement } from './wallet-statement.js';

/*
 * Rules: contract 13.22, 13.28.
 */

describe('readAmount', () => {
  it.each([
    ['500', 50_000],
    ['500.5', 50_050],
    ['1,250.00', 125_000],
    ['1,20,000', 12_000_000],
    ['৳ 1,250.50', 125_050],
    ['BDT 20', 2_000],
    ['Tk. 20.10', 2_010],
    ['১,২৫০.০০', 125_000],
    ['99,999,999.99', 9_999_999_999],
    ['0.10', 10],
    ['20.1000', 2_010],
    ['-20.00', -2_000],
    ['(20.00)', -2_000],
    ['0.00', 0],
  ])('reads %s exactly', (cell, minor) => expect(readAmount(cell)).toBe(minor));

  it.each([
    '',
    '-',
    'abc',
    '1.255',
    '1e3',
    '1,2',
    '10,50',
    '1,25,00',
    '1,250,00',
    '100,000,000.00',
    '12 34x',
    '٥٠٠',
    '1..2',
  ])('takes %j for none', (cell) => expect(readAmount(cell)).toBeNull());
});

describe('readDay', () => {
  it.each([
    ['2026-11-21', '2026-11-21'],
    ['2026-11-21 14:20:09', '2026-11-21'],
    ['2026/11/21 2:20 PM', '2026-11-21'],
    ['20261121142009', '2026-11-21'],
    ['21-Nov-2026 02:20 PM', '2026-11-21'],
    ['21 November, 2026', '2026-11-21'],
    ['Nov 21, 2026 14:20', '2026-11-21'],
    ['21/11/2026', '2026-11-21'],
    ['21.11.26', '2026-11-21'],
    ['২১/১১/২০২৬', '2026-11-21'],
  ])('reads %s', (cell, day) => expect(readDay(cell)?.dayFirst).toBe(day));

  it.each(['', 'yesterday', '2026-02-30', '31/02/2026', '14:20'])('finds none in %j', (cell) =>
    expect(readDay(cell)).toBeNull(),
  );

  it('reads a whole statement in one way', () => {
    const spanOf = (...cells: string[]) => {
      const days = new StatementDays();
      for (const cell of cells) days.add(readDay(cell)!);
      return days.span();
    };
    expect(spanOf('03/04/2026', '05/04/2026')).toEqual({ first: '2026-04-03', last: '2026-04-05' });
    expect(spanOf('03/04/2026', '03/25/2026')).toEqual({ first: '2026-03-04', last: '2026-03-25' });
    expect(spanOf('25/03/2026', '03/25/2026')).toBeNull();
    expect(spanOf()).toBeNull();
  });
});

describe('findColumns', () => {
  it.each([
    [
      ['Date', 'TrxID', 'Amount'],
      [0, 1, 2],
    ],
    [
      ['SL', 'Transaction Date', 'Transaction ID', 'Wallet', 'Amount (BDT)'],
      [1, 2, 4],
    ],
    [
      ['Txn ID', 'Txn Date & Time', 'Sender', 'Txn Amount'],
      [1, 0, 3],
    ],
    [
      ['Receipt No.', 'Completion Time', 'Details', 'Transaction Status', 'Paid In', 'Withdrawn'],
      [1, 0, 4],
    ],
    [
      ['Reference', 'TRANS. ID', 'TRANS. DATE', 'CREDIT'],
      [2, 1, 3],
    ],
    [
      ['তারিখ', 'ট্রানজেকশন আইডি', 'পরিমাণ'],
      [0, 1, 2],
    ],
  ])('knows %j', (header, [date, trxId, amount]) => {
    expect(findColumns(header, {})).toMatchObject({ places: { date, trxId, amount } });
  });

  it('goes by given names, and says what is not there', () => {
    const header = ['When', 'Code', 'Gross', 'Amount'];
    expect(findColumns(header, {})).toEqual({ missing: ['date', 'trxId'] });
    expect(findColumns(header, { date: 'when', trxId: 'CODE', amount: 'Gross' })).toMatchObject({
      places: { date: 0, trxId: 1, amount: 2 },
    });
    expect(findColumns(header, { amount: 'Net' })).toMatchObject({ missing: ['date', 'trxId', 'amount'] });
  });
});

describe('a wallet’s statement', () => {
  async function read(text: string | readonly Buffer[]) {
    const file = Readable.from(typeof text === 'string' ? [Buffer.from(text)] : text);
    const statement = new WalletStatement(file, {}, 'Asia/Dhaka');
    const lines = [];
    for await (const line of statement.lines()) lines.push(line);
    return { lines, span: statement.days.span() };
  }

  it('is read with a BOM, CRLF, lines before the header, quoted thousands, totals and pages', async () => {
    const found = await read(
      [
        '\ufeffMerchant statement of ৳ account,,',
        'From,21/11/2026,To 22/11/2026',
        'Date,Trx ID,Type,Amount',
        '21/11/2026 10:00,dij 3mxahcj,Payment,"1,250.00"',
        'Date,Trx ID,Type,Amount',
        '',
        '22/11/2026 11:00,DIJ3MXAHCK,Payment,20',
        '22/11/2026 12:00,DIJ3MXAHCL,Debit,20',
        '22/11/2026 12:00,DIJ3MXAHCM,Refund,-20.00',
        ',,Total,"1,270.00"',
      ].join('\r\n'),
    );
    expect(found.lines).toMatchObject([
      { trxId: 'DIJ3MXAHCJ', amountMinor: 125_000 },
      { trxId: 'DIJ3MXAHCK', amountMinor: 2_000 },
    ]);
    expect(found.span).toEqual({ first: '2026-11-21', last: '2026-11-22' });
  });

  it('is read byte by byte, with semicolons or tabs, and instants in the shop’s zone', async () => {
    const text = 'Date;TrxID;Amount\n2026-11-21T19:00:00Z;DIJ3MXAHCJ;"1,250.00"\n';
    const bytes = [...Buffer.from(text)].map((byte) => Buffer.from([byte]));
    for (const file of [text, bytes, text.replaceAll(';', '\t')]) {
      const { lines, span } = await read(file);
      expect(lines).toEqual([{ line: 2, trxId: 'DIJ3MXAHCJ', amountMinor: 125_000 }]);
      expect(span).toEqual({ first: '2026-11-22', last: '2026-11-22' });
    }
  });

  it.each([
    ['', 'statement.columns_missing'],
    ['Date,Amount\n1,2\n', 'statement.columns_missing'],
    [`${'x,y\n'.repeat(60)}Date,TrxID,Amount\n`, 'statement.columns_missing'],
    ['Date,TrxID,Amount\n2026-11-21,DIJ3MXAHCJ,many\n', 'statement.unreadable'],
    [`Date,TrxID,Amount\n"${'x'.repeat(100_000)}`, 'statement.unreadable'],
  ])('is refused: %.40j', async (text, code) => {
    await expect(read(text)).rejects.toMatchObject({ code });
  });
});

it('knows what went out', () => {
  expect(['Dr', 'DEBIT', 'Withdrawal'].map(isOutgoing)).toEqual([true, true, true]);
  expect(['Cr', 'Payment', 'Deposit', 'Draft'].map(isOutgoing)).toEqual([false, false, false, false]);
});
