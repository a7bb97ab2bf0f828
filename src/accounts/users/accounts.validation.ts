import { Transform } from 'class-transformer';
import { IsEmail, Matches, ValidateBy } from 'class-validator';
import { applyDecorators } from '@nestjs/common';
import { MaxCharacters } from '../../platform/http/index.js';
import { characterCount } from '../../kernel/text.js';
import { MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS } from './password-hasher.js';
import { normalizeEmail } from './user.js';

/** Characters of an e-mail address and of a user's name (contract 1.17). */
export const MAX_EMAIL_CHARACTERS = 254;
export const MAX_NAME_CHARACTERS = 200;

/** Applies to strings alone; what is something else stays as it is, for the validator to refuse. */
function onText(change: (text: string) => string): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? change(value) : value));
}

export function Trimmed(): PropertyDecorator {
  return onText((text) => text.trim());
}

/** Any text where an address belongs, in its one spelling: for looking somebody up. */
export function EmailToFind(): PropertyDecorator {
  return applyDecorators(onText(normalizeEmail), MaxCharacters(MAX_EMAIL_CHARACTERS));
}

/** An address to keep. ASCII alone: everywhere else "lower case" depends on whom one asks. */
export function EmailToKeep(): PropertyDecorator {
  return applyDecorators(
    onText(normalizeEmail),
    MaxCharacters(MAX_EMAIL_CHARACTERS),
    Matches(/^[\x21-\x7e]*$/, { message: 'must be written in ASCII characters, without blanks' }),
    IsEmail({}, { message: 'must be an e-mail address' }),
  );
}

/** 10 to 128 characters, whatever they are (contract 2.16). */
export function NewPassword(): PropertyDecorator {
  return applyDecorators(MaxCharacters(MAX_PASSWORD_CHARACTERS), MinCharacters(MIN_PASSWORD_CHARACTERS));
}

/** A password to check: whether it is long enough is no business of whoever tries one. */
export function PasswordToCheck(): PropertyDecorator {
  return applyDecorators(MaxCharacters(MAX_PASSWORD_CHARACTERS), MinCharacters(1));
}

function MinCharacters(limit: number): PropertyDecorator {
  return ValidateBy({
    name: 'minCharacters',
    constraints: [limit],
    validator: {
      validate: (value: unknown) => typeof value === 'string' && characterCount(value) >= limit,
      defaultMessage: () => (limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`),
    },
  });
}
