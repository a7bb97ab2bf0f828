import type { MessageSample } from '../../wallet.js';

/** Messages of the wallet, from public samples with invented numbers (wallets §2, §3). */
export const CELLFIN_SAMPLES: readonly MessageSample[] = [
  {
    id: 'cf-01',
    sender: 'IBBL .',
    accountType: 'personal',
    text: 'Islami Bank CellFin Received 1000 Tk From CellFin: 01700000000 To CellFin: 01800000000 TrxId: CF88X77Y',
    expected: {
      status: 'receipt',
      provider: 'cellfin',
      trxId: 'CF88X77Y',
      amount: 1000,
      counterparty: '01700000000',
      balance: null,
      receivedAt: null,
    },
  },
];
