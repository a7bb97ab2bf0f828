import type { MessageSample } from '../../wallet.js';

/** Messages of the wallet, from public samples with invented numbers (wallets §2, §3). */
export const TALLYPAY_SAMPLES: readonly MessageSample[] = [
  {
    id: 'ty-01',
    sender: '09678-000005',
    accountType: 'merchant',
    text: 'Tk 1,898.57 received from 017***4838 via TallyPay QR... Txn ID: YY1Z85HTP',
    expected: {
      status: 'unread',
      reason: 'incomplete',
      trxId: 'YY1Z85HTP',
      amount: 1898.57,
      counterparty: '017***4838',
    },
  },
];
