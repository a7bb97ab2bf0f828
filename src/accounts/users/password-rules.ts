import { invalidInput } from '../../kernel/domain-error.js';
import { COMMON_PASSWORDS } from './common-passwords.js';

/** The user who gets the password. */
interface Owner {
  readonly email: string;
  readonly name: string;
}

/**
 * Why a password that is long enough is refused all the same (contract 14.8), or null: it is one of the commonest, or
 * the user's own address or name, however written and with whatever digits behind.
 */
export function passwordProblem(password: string, { email, name }: Owner): string | null {
  const written = password.normalize('NFKC').toLowerCase();
  if (COMMON_PASSWORDS.has(written)) return 'must not be one of the commonest passwords';
  const core = lettersOf(written);
  const [local = ''] = email.split('@', 1);
  const own = [email, local, name].map(lettersOf).filter((text) => text !== '');
  return own.includes(core) || own.includes(lettersOf(written.replace(/[^\p{L}]+$/u, '')))
    ? 'must not be the e-mail address or the name'
    : null;
}

/** @throws DomainError `request.invalid` for a password that is refused, at `pointer` */
export function refuseWeakPassword(password: string, owner: Owner, pointer: string): void {
  const detail = passwordProblem(password, owner);
  if (detail !== null) throw invalidInput([{ pointer, detail }]);
}

function lettersOf(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '');
}
