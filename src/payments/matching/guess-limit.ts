import type { SubmissionKind } from '../payments/payment.js';

/** Submissions for one amount of a store that no receipt fits, as of one instant. */
export interface GuessCount {
  /** Their window is over, and the phone has been heard twice since (contract 4.81). */
  readonly wrong: number;
  /** Their window is open (contract 4.82). */
  readonly waiting: number;
}

/** The same, with digits of the payment's own phone apart from the others (contract 4.91). */
export interface Guesses {
  readonly others: GuessCount;
  readonly ownPhone: GuessCount;
}

/** The limit of guessable TrxIDs is this many times the limit of digits. */
const TRX_ID_FACTOR = 3;
/** This many times the limit of wrong submissions is too many even where a tenth of the payers mistype. */
const ANY_CASE_FACTOR = 10;
const WAITING_FACTOR = 3;
const HONEST_SHARE = 10;

/** The limit of a kind (contract 4.84). */
export function limitOf(kind: SubmissionKind, limit: number): number {
  return kind === 'trx_id' ? TRX_ID_FACTOR * limit : limit;
}

/**
 * Whether digits of the own phone are no exception any more (contract 4.91): whoever submits them chose that phone, so
 * the limit alone counts.
 */
export function isOwnPhoneWornOut({ ownPhone }: Guesses, limit: number): boolean {
  return ownPhone.wrong >= limit || ownPhone.waiting > limit;
}

/**
 * The submissions that count against the thresholds. Where the exception for the own phone has ended, such submissions
 * are like any other: nobody guesses uncounted.
 */
export function countedOf(guesses: Guesses, limit: number): GuessCount {
  const { others, ownPhone } = guesses;
  if (!isOwnPhoneWornOut(guesses, limit)) return others;
  return { wrong: others.wrong + ownPhone.wrong, waiting: others.waiting + ownPhone.waiting };
}

/**
 * Whether a threshold is reached (contract 4.84). `limit` is that of the kind; `verified` are the payments that excuse
 * a share of the wrong submissions.
 */
export function exceedsLimit({ wrong, waiting }: GuessCount, verified: number, limit: number): boolean {
  const isMany = wrong >= limit && wrong > verified / HONEST_SHARE;
  return isMany || wrong >= ANY_CASE_FACTOR * limit || waiting > WAITING_FACTOR * limit;
}
