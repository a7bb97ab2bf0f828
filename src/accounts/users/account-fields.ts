import { Transform } from 'class-transformer';
import { IsEmail, Matches, ValidateBy } from 'class-validator';
import { characterCount } from '../../kernel/text.js';
import {
  Field,
  type FieldOptions,
  IsNotBlank,
  MAX_EMAIL_CHARACTERS,
  MaxCharacters,
} from '../../platform/http/index.js';
import { MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS } from './password-hasher.js';
import { normalizeEmail } from './user.js';

/** Characters of a user's name (contract 1.17). */
const MAX_NAME_CHARACTERS = 200;

/** Applies to strings alone; what is something else stays as it is, for the validator to refuse. */
function onText(change: (text: string) => string): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? change(value) : value));
}

/** Any text where an address belongs, in its one spelling: for looking somebody up. */
export function EmailToFind(options: FieldOptions): PropertyDecorator {
  return Field(options, {
    schema: { maxLength: MAX_EMAIL_CHARACTERS },
    rules: [MaxCharacters(MAX_EMAIL_CHARACTERS), onText(normalizeEmail)],
  });
}

/** An address to keep. ASCII alone: everywhere else "lower case" depends on whom one asks. */
export function EmailToKeep(options: FieldOptions): PropertyDecorator {
  return Field(options, {
    schema: { maxLength: MAX_EMAIL_CHARACTERS },
    rules: [
      IsEmail({}, { message: 'must be an e-mail address' }),
      Matches(/^[\x21-\x7e]*$/, { message: 'must be written in ASCII characters, without blanks' }),
      MaxCharacters(MAX_EMAIL_CHARACTERS),
      onText(normalizeEmail),
    ],
  });
}

/** The name of a user; blanks around it are left out. */
export function PersonName(options: FieldOptions): PropertyDecorator {
  return Field(options, {
    schema: { minLength: 1, maxLength: MAX_NAME_CHARACTERS },
    rules: [onText((text) => text.trim()), IsNotBlank(), MaxCharacters(MAX_NAME_CHARACTERS)],
  });
}

/** 10 to 128 characters, whatever they are (contract 2.16). */
export function NewPassword(options: FieldOptions): PropertyDecorator {
  return password(MIN_PASSWORD_CHARACTERS, options);
}

/** A password to check: whether it is long enough is no business of whoever tries one. */
export function PasswordToCheck(options: FieldOptions): PropertyDecorator {
  return password(1, options);
}

function password(min: number, options: FieldOptions): PropertyDecorator {
  return Field(
    { format: 'password', ...options },
    {
      schema: { minLength: min, maxLength: MAX_PASSWORD_CHARACTERS },
      rules: [MinCharacters(min), MaxCharacters(MAX_PASSWORD_CHARACTERS)],
    },
  );
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
