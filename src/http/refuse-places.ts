import { invalidInput } from '../kernel/domain-error.js';

/** Most places that one answer names; a body of 64 KiB could hold thousands. */
export const MAX_REPORTED_PLACES = 50;

/** Does nothing without places. @throws DomainError `request.invalid` that says the same of each of them */
export function refusePlaces(pointers: readonly string[], detail: string): void {
  if (pointers.length === 0) return;
  throw invalidInput(pointers.slice(0, MAX_REPORTED_PLACES).map((pointer) => ({ pointer, detail })));
}
