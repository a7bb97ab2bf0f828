import { v7, validate } from 'uuid';

/** A new UUID version 7: unique, and ordered by time, so that new rows land at the end of an index (decisions §1). */
export function newId(): string {
  return v7();
}

/** True for any UUID in its usual spelling; what fails can name no row of ours, and must not reach a uuid column. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && validate(value);
}
