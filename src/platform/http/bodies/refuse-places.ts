import { invalidInput, MAX_REPORTED_PLACES } from '../../../kernel/domain-error.js';
import { unstorableTexts } from '../../../kernel/text.js';

/** Does nothing without places. @throws DomainError `request.invalid` that says the same of each of them */
export function refusePlaces(pointers: readonly string[], detail: string): void {
  if (pointers.length > 0) throw invalidInput(pointers.map((pointer) => ({ pointer, detail })));
}

/** Refuses texts that PostgreSQL cannot store. @throws DomainError `request.invalid` (contract 1.19) */
export function refuseUnstorable(value: unknown): void {
  refusePlaces(unstorableTexts(value, MAX_REPORTED_PLACES), 'must not hold NUL or half of a surrogate pair');
}
