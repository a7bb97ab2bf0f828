/** Phones are compared by their last digits, so that 017…, 88017… and +88017… are the same (contract 4.33). */
const COMPARED_DIGITS = 10;
/** Visible digits that a masked number needs to say anything (contract 4.33). */
const VISIBLE_DIGITS = 7;

export type PhoneAgreement = 'agrees' | 'disagrees' | 'unknown';

/**
 * Whether the number that a wallet wrote, masked or not (`01700***002`), is the customer's. `unknown` when there is
 * no phone, or too little of the number can be seen.
 */
export function phoneAgreement(
  customerPhone: string | null,
  counterparty: string | null,
  visibleDigits = VISIBLE_DIGITS,
): PhoneAgreement {
  const phone = digitsOf(customerPhone);
  if (phone === null || counterparty === null) return 'unknown';
  const written = withoutCheckDigit([...counterparty].filter((character) => /[0-9*xX•#]/.test(character)));
  if (written.length < COMPARED_DIGITS) return 'unknown';
  const compared = written
    .slice(-COMPARED_DIGITS)
    .map((character, index) => ({ character, digit: phone[index] }))
    .filter(({ character }) => /[0-9]/.test(character));
  if (compared.length < visibleDigits) return 'unknown';
  return compared.every(({ character, digit }) => character === digit) ? 'agrees' : 'disagrees';
}

/**
 * A Rocket account is the phone's eleven digits and one more (wallets §5); no other number has twelve that begin with
 * 01.
 */
function withoutCheckDigit(written: readonly string[]): readonly string[] {
  return written.length === 12 && written[0] === '0' && written[1] === '1' ? written.slice(0, 11) : written;
}

export function phoneEndsIn(customerPhone: string | null, digits: string): boolean {
  return digitsOf(customerPhone)?.endsWith(digits) ?? false;
}

/** The last ten digits; null when there are fewer. */
function digitsOf(phone: string | null): string | null {
  const digits = phone?.replace(/[^0-9]/g, '') ?? '';
  return digits.length < COMPARED_DIGITS ? null : digits.slice(-COMPARED_DIGITS);
}
