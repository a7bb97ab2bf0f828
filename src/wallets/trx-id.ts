const TRX_ID = /^[A-Z0-9._-]{4,64}$/;

/** The message about a text that `normaliseTrxId` does not take. */
export const TRX_ID_RULE = 'must be 4 to 64 letters, digits, dots, hyphens or underscores';

/**
 * A transaction id as it is compared: trimmed, blanks removed, upper-case; null when what remains is not 4 to 64 of
 * `[A-Z0-9._-]` (contract 4.9). Letters of other alphabets are refused, never folded: a look-alike is another id.
 */
export function normaliseTrxId(text: string): string | null {
  const compact = text.replace(/\s+/gu, '');
  if (!/^[\x21-\x7e]*$/.test(compact)) return null;
  const trxId = compact.toUpperCase();
  return TRX_ID.test(trxId) ? trxId : null;
}

/** How wallets write the id in their messages (`TrxID`, `TxnID`, `Txn ID`, `TrnxID`, `TxID`), then the id itself. */
const LABELLED_ID = /(?<![A-Z])T(?:rx|xn|rnx|x)\s?ID\b[\s:#.-]*([A-Z0-9][A-Z0-9._-]{3,63})/gi;

/** Nothing but such a word and an id that was typed with blanks in it. */
const LABEL_AND_ID = /^\s*T(?:rx|xn|rnx|x)\s?ID[\s:#.-]+([A-Z0-9]+(?: [A-Z0-9]+)*)\s*$/i;
const LONGEST_WITH_BLANKS = 14;

const BANGLA_ZERO = '০'.charCodeAt(0);

/**
 * The id in what a payer typed or pasted: blanks and a leading "TrxID" removed, Bangla digits converted, capitals
 * (wallets §4). Out of a whole message the last labelled id is taken, because free text stands before it. Letters
 * that only look like Latin ones stay as they are, so that `normaliseTrxId` refuses such an id and nobody takes it
 * for another.
 */
export function readTypedTrxId(typed: string): string {
  const text = typed.replace(/[০-৯]/g, (digit) => String(digit.charCodeAt(0) - BANGLA_ZERO));
  const spaced = LABEL_AND_ID.exec(text)?.[1]?.replace(/ /g, '') ?? '';
  if (spaced !== '' && spaced.length <= LONGEST_WITH_BLANKS) return spaced.toUpperCase();
  const labelled = [...text.matchAll(LABELLED_ID)].at(-1)?.[1];
  const id = labelled?.replace(/[._-]+$/, '') ?? text.replace(/\s+/g, '');
  return id.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

/** More ways to read one id than this are not looked up. */
const MAX_LOOK_ALIKES = 243;

/**
 * The other ids that look like this one; empty when it has no such letter, or too many. For asking the payer to look
 * again: none of them is ever matched for what was typed (wallets §4).
 */
export function lookAlikesOf(trxId: string): string[] {
  let drawn = [''];
  for (const letter of trxId) {
    const others = 'O0'.includes(letter) ? ['O', '0'] : 'IL1'.includes(letter) ? ['I', 'L', '1'] : [letter];
    drawn = drawn.flatMap((start) => others.map((other) => start + other));
    if (drawn.length > MAX_LOOK_ALIKES) return [];
  }
  return drawn.filter((other) => other !== trxId);
}
