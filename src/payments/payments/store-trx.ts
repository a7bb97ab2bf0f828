import { plainArray, textArray } from '../../platform/database/index.js';

/** A TrxID of a store. */
export interface StoreTrx {
  readonly storeId: string;
  readonly trxId: string;
}

/** The same of several stores, for `unnest($1::uuid[], $2::text[])`. */
export function arraysOfTrx(wanted: readonly StoreTrx[]): string[] {
  return [plainArray(wanted.map(({ storeId }) => storeId)), textArray(wanted.map(({ trxId }) => trxId))];
}
