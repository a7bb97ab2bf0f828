import { ValidateBy, ValidateIf, type ValidationOptions } from 'class-validator';
import { characterCount } from '../../../kernel/text.js';

/** At most so many characters, counted as people count them, not in UTF-16 units (contract 1.17). */
export function MaxCharacters(limit: number, options?: ValidationOptions): PropertyDecorator {
  return ValidateBy(
    {
      name: 'maxCharacters',
      constraints: [limit],
      validator: {
        validate: (value: unknown) =>
          typeof value === 'string' && (value.length <= limit || characterCount(value) <= limit),
        defaultMessage: () => `must not be longer than ${limit} characters`,
      },
    },
    options,
  );
}

/** Not empty, and not of blanks alone. */
export function IsNotBlank(options?: ValidationOptions): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isNotBlank',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && value.trim() !== '',
        defaultMessage: () => 'must not be empty',
      },
    },
    options,
  );
}

/** May be left out; unlike `IsOptional` it does not take null for that. */
export function MayBeLeftOut(): PropertyDecorator {
  return ValidateIf((_object, value) => value !== undefined);
}
