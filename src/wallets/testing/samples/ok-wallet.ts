import type { MessageSample } from '../../wallet.js';

/** Messages of the wallet, from public samples with invented numbers (wallets §2, §3). */
export const OK_WALLET_SAMPLES: readonly MessageSample[] = [
  {
    id: 'ok-01',
    sender: '01847348685',
    accountType: 'personal',
    text: '(OK Wallet) Successfully received Tk 500.00 from A/C 017000000001. Ref: R1 Balance Tk 900.00. TrxID OK12345678',
    forgeable:
      '(OK Wallet) Successfully received Tk 500.00 from A/C 017000000001. Ref: {ref} Balance Tk 900.00. TrxID OK12345678',
    expected: {
      status: 'receipt',
      provider: 'okwallet',
      trxId: 'OK12345678',
      amount: 500,
      counterparty: '017000000001',
      balance: 900,
      receivedAt: null,
    },
  },
];
