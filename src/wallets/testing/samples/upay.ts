import type { MessageSample } from '../../wallet.js';

/** Messages of the wallet, from public samples with invented numbers (wallets §2, §3). */
export const UPAY_SAMPLES: readonly MessageSample[] = [
  {
    id: 'up-01',
    sender: 'upay',
    accountType: 'personal',
    text: 'Tk. 900.00 has been received from 01700000001. Ref-. Balance Tk. 900.00. TrxID 01K7C8Z24V at 12/10/2025 19:15.',
    forgeable:
      'Tk. 900.00 has been received from 01700000001. Ref-{ref}. Balance Tk. 900.00. TrxID 01K7C8Z24V at 12/10/2025 19:15.',
    expected: {
      status: 'receipt',
      provider: 'upay',
      trxId: '01K7C8Z24V',
      amount: 900,
      counterparty: '01700000001',
      balance: 900,
      receivedAt: '2025-10-12T13:15:00.000Z',
    },
  },
  {
    id: 'up-03',
    sender: 'upay',
    accountType: 'merchant',
    text: 'Received Payment of Tk.1.00 from 01700000001... TrxID 01M3V635E3',
    expected: {
      status: 'unread',
      reason: 'incomplete',
      trxId: '01M3V635E3',
      amount: 1,
      counterparty: '01700000001',
    },
  },
  {
    id: 'up-04',
    sender: 'upay',
    accountType: 'agent',
    text: 'You have received Cash-out of Tk. 3940.00 from 01700000001. Comm: TK. 16.1343. Balance Tk. 6568.82. TrxID 01JYG4GET7 at 24/06/2025 10:52.',
    expected: {
      status: 'receipt',
      provider: 'upay',
      trxId: '01JYG4GET7',
      amount: 3940,
      counterparty: '01700000001',
      balance: 6568.82,
      receivedAt: '2025-06-24T04:52:00.000Z',
    },
  },
  {
    id: 'up-no-1',
    sender: 'upay',
    accountType: null,
    text: 'Tk.150.00 has been received from BRAC Bank Limited... TrxID 01K6MZYRK4',
    expected: { status: 'ignored', reason: 'own_money' },
  },
];
