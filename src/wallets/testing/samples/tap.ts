import type { MessageSample } from '../../wallet.js';

/** Messages of the wallet, from public samples with invented numbers (wallets §2, §3). */
export const TAP_SAMPLES: readonly MessageSample[] = [
  {
    id: 'tp-01',
    sender: 'tap.',
    accountType: 'personal',
    text: 'Received Tk 500.00 from 01700000001. Balance Tk. 1,200.00. TxID: AAAAAAAAAAAAAA.',
    expected: {
      status: 'receipt',
      provider: 'tap',
      trxId: 'AAAAAAAAAAAAAA',
      amount: 500,
      counterparty: '01700000001',
      balance: 1200,
      receivedAt: null,
    },
  },
  {
    id: 'tp-03',
    sender: 'tap.',
    accountType: null,
    text: 'Cash Out Tk 5000.00 to 8801700000000. Fee Tk Paid TK. 73.50. Balance Tk 26.50. TxID: AAAAAAAAAAAAAA',
    expected: { status: 'ignored', reason: 'outgoing', trxId: 'AAAAAAAAAAAAAA', amount: 5000 },
  },
];
