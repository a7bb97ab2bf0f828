import { minuteInDhaka } from './money-clock.js';

/** The SMS with which bKash tells of money that came in at `at`; amounts stand in it as bKash writes them. */
export function bkashText(
  trxId: string,
  at: Date,
  { amount = '500.00', balance = '10,500.00', from = '01700000002', reference = '' } = {},
): string {
  const ref = reference === '' ? '' : ` Ref ${reference}.`;
  return (
    `You have received Tk ${amount} from ${from}.${ref} Fee Tk 0.00. Balance Tk ${balance}. ` +
    `TrxID ${trxId} at ${minuteInDhaka(at)}`
  );
}
