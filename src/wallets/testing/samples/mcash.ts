import type { MessageSample } from '../../wallet.js';

/** Messages of the wallet, from public samples with invented numbers (wallets §2, §3). */
export const MCASH_SAMPLES: readonly MessageSample[] = [
  {
    id: 'mc-01',
    sender: '16259',
    accountType: 'personal',
    text: 'IBBL mCash You have received Tk: 500.00 From: 01700000001 Reference: R1 Balance Tk: 900.00 TrxID: MC12345678',
    forgeable:
      'IBBL mCash You have received Tk: 500.00 From: 01700000001 Reference: {ref} Balance Tk: 900.00 TrxID: MC12345678',
    expected: {
      status: 'receipt',
      provider: 'mcash',
      trxId: 'MC12345678',
      amount: 500,
      counterparty: '01700000001',
      balance: 900,
      receivedAt: null,
    },
  },
];
