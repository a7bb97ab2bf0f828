import { invalidInput } from '../../kernel/domain-error.js';
import { MIN_PASSWORD_CHARACTERS } from './password-hasher.js';

/** The user who gets the password. */
interface Owner {
  readonly email: string;
  readonly name: string;
}

/**
 * Why a password that is long enough is refused all the same (contract 14.8), or null: it is one of the commonest, or
 * the user's own address or name, however written and with whatever digits behind.
 */
export async function passwordProblem(password: string, { email, name }: Owner): Promise<string | null> {
  const written = password.normalize('NFKC').toLowerCase();
  if ((await commonPasswords()).has(written)) return 'must not be one of the commonest passwords';
  const core = lettersOf(written);
  const [local = ''] = email.split('@', 1);
  const own = [email, local, name].map(lettersOf).filter((text) => text !== '');
  return own.includes(core) || own.includes(lettersOf(written.replace(/[^\p{L}]+$/u, '')))
    ? 'must not be the e-mail address or the name'
    : null;
}

/** @throws DomainError `request.invalid` for a password that is refused, at `pointer` */
export async function refuseWeakPassword(password: string, owner: Owner, pointer: string): Promise<void> {
  const detail = await passwordProblem(password, owner);
  if (detail !== null) throw invalidInput([{ pointer, detail }]);
}

let common: Promise<ReadonlySet<string>> | undefined;

/**
 * The commonest passwords that are long enough to be set, in lower case, as lists that leaked had them. The package is
 * read with the first password that is set: a start has no use for its 49,000 words.
 */
export function commonPasswords(): Promise<ReadonlySet<string>> {
  common ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) =>
      new Set(dictionary['passwords-common'].filter(({ length }) => length >= MIN_PASSWORD_CHARACTERS)),
  );
  return common;
}

function lettersOf(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '');
}
