const TRX_ID = /^[A-Z0-9._-]{4,64}$/;

/**
 * A transaction id as it is compared: trimmed, blanks removed, upper-case; null when what remains is not 4 to 64 of
 * `[A-Z0-9._-]` (decisions §4). Letters of other alphabets are refused, never folded: a look-alike is another id.
 */
export function normaliseTrxId(text: string): string | null {
  const compact = text.replace(/\s+/gu, '');
  if (!/^[\x21-\x7e]*$/.test(compact)) return null;
  const trxId = compact.toUpperCase();
  return TRX_ID.test(trxId) ? trxId : null;
}
