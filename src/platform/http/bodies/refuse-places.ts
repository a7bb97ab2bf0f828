import { invalidInput } from '../../../kernel/domain-error.js';

/** Does nothing without places. @throws DomainError `request.invalid` that says the same of each of them */
export function refusePlaces(pointers: readonly string[], detail: string): void {
  if (pointers.length > 0) throw invalidInput(pointers.map((pointer) => ({ pointer, detail })));
}
