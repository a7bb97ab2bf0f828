/**
 * The matches that guess protection stops: by digits, by guessable TrxIDs, or by the exception for the digits of the
 * own phone.
 */
export type ProtectionKind = 'trx_id' | 'last4digit' | 'own_phone';

/** Entries for one amount of a store within the period, that no receipt fits. */
export interface GuessCounts {
  /** Their window is over, and the phone has been heard from since. */
  readonly wrong: number;
  /** Their window is open. */
  readonly waiting: number;
  /** Payments of this amount that were verified so within the period. */
  readonly verified: number;
}

/** In a shop where a tenth mistype, so many times the limit of wrong entries is still too many. */
const ANY_CASE_FACTOR = 10;
const WAITING_FACTOR = 3;
const HONEST_SHARE = 10;

/**
 * Whether there were too many guesses (contract 4.84): the limit, more than a tenth of what was verified, ten times
 * the limit in any case; or three times the limit that wait at once. Who enters digits of the own phone chose that
 * phone: there the limit alone counts, for both.
 */
export function exceedsLimit(
  kind: ProtectionKind,
  { wrong, waiting, verified }: GuessCounts,
  limit: number,
): boolean {
  if (kind === 'own_phone') return wrong >= limit || waiting > limit;
  const isMany = wrong >= limit && wrong > verified / HONEST_SHARE;
  return isMany || wrong >= ANY_CASE_FACTOR * limit || waiting > WAITING_FACTOR * limit;
}
