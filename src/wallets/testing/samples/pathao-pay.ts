import type { MessageSample } from '../../wallet.js';

/** Messages of the wallet, from public samples with invented numbers (wallets §2, §3). */
export const PATHAO_PAY_SAMPLES: readonly MessageSample[] = [
  {
    id: 'pp-01',
    sender: 'PathaoPay',
    accountType: 'personal',
    text: 'You have received BDT 500.00 from +8801700000001. Balance BDT 900.00 TrxID PP12345678',
    expected: {
      status: 'receipt',
      provider: 'pathaopay',
      trxId: 'PP12345678',
      amount: 500,
      counterparty: '+8801700000001',
      balance: 900,
      receivedAt: null,
    },
  },
];
