import { applyDecorators, type Type } from '@nestjs/common';
import { Type as HoldsClass } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsEmail,
  IsIn,
  IsInt,
  IsNumber,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { ApiProperty } from '@nestjs/swagger';
import { IsNotBlank, MaxCharacters, MayBeLeftOut } from './text-rules.js';
import { IsDuration, IsInstant, IsMoney, IsWebAddress } from './value-rules.js';

/*
 * The fields of a body or of a query, each declared once: its rule, its limit and its place in the API document. What
 * an answer holds is only described, with `@ApiProperty`.
 */

/** Options of every field besides its rule. */
export interface FieldOptions {
  readonly description?: string;
  readonly example?: unknown;
  readonly default?: unknown;
  readonly format?: string;
  /** May be left out; null is refused. */
  readonly optional?: true;
  /** May be left out, and null says the same. */
  readonly nullable?: true;
}

type SchemaType = 'integer' | typeof String | typeof Number | typeof Object;

interface Declaration {
  /** The document's type; a field that is no null has the type of its property. */
  readonly type?: SchemaType;
  /** Further members of its schema. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** Its rules; the first that refuses a value says why. */
  readonly rules: readonly PropertyDecorator[];
}

/** A field of another kind: how a feature makes a decorator of its own. */
export function Field(options: FieldOptions, { type, schema, rules }: Declaration): PropertyDecorator {
  const { optional = false, nullable = false, ...described } = options;
  const whether = nullable ? [IsOptional()] : optional ? [MayBeLeftOut()] : [];
  const document = {
    ...described,
    ...schema,
    required: !optional && !nullable,
    ...(nullable ? { nullable } : {}),
    ...(type !== undefined && (nullable || type === 'integer') ? { type } : {}),
  };
  // class-validator names the rule that was applied last: the order is that of decorators one below another.
  return applyDecorators(...[ApiProperty(document), ...whether, ...rules].reverse());
}

export interface TextOptions extends FieldOptions {
  /** Characters, as people count them (contract 1.17). */
  readonly max?: number;
  readonly minLength?: number;
  /** Whether blanks alone will do; unless said otherwise, for a field that may be null. */
  readonly blank?: boolean;
}

export function Text({ max, minLength, blank, ...options }: TextOptions): PropertyDecorator {
  const mayBeBlank = blank ?? options.nullable === true;
  return Field(options, {
    type: String,
    schema: {
      ...(minLength === undefined ? {} : { minLength }),
      ...(max === undefined ? {} : { maxLength: max }),
    },
    rules: [
      IsString(),
      ...(mayBeBlank ? [] : [IsNotBlank()]),
      ...(max === undefined ? [] : [MaxCharacters(max)]),
    ],
  });
}

/** A text of a certain form, which `rule` says to who writes another. */
export function Pattern(pattern: RegExp, rule: string, options: FieldOptions): PropertyDecorator {
  return Field(options, {
    type: String,
    schema: { pattern: pattern.source },
    rules: [Matches(pattern, { message: rule })],
  });
}

/** An amount of money as a JSON number (contract 1.8). */
export function Amount(options: FieldOptions = {}): PropertyDecorator {
  return Field(options, { type: Number, rules: [IsMoney()] });
}

/** Any number. */
export function Quantity(options: FieldOptions = {}): PropertyDecorator {
  return Field(options, { type: Number, rules: [IsNumber()] });
}

export interface IntegerOptions extends FieldOptions {
  readonly min: number;
  readonly max?: number;
}

export function Integer({ min, max, ...options }: IntegerOptions): PropertyDecorator {
  return Field(options, {
    type: 'integer',
    schema: { minimum: min, ...(max === undefined ? {} : { maximum: max }) },
    rules: [IsInt(), Min(min), ...(max === undefined ? [] : [Max(max)])],
  });
}

/** An ISO 8601 time with its zone. */
export function Instant(options: FieldOptions = {}): PropertyDecorator {
  return Field({ format: 'date-time', ...options }, { type: String, rules: [IsInstant()] });
}

/** A duration such as `8s` or `24h` (contract 8.12). */
export function Duration(options: FieldOptions = {}): PropertyDecorator {
  return Field(options, { rules: [IsDuration()] });
}

export function Flag(options: FieldOptions = {}): PropertyDecorator {
  return Field(options, { rules: [IsBoolean()] });
}

/** One of a few words; `message` is what is said of another, where it is not class-validator's own sentence. */
export function OneOf(
  words: readonly string[],
  { message, ...options }: FieldOptions & { readonly message?: string } = {},
): PropertyDecorator {
  return Field(options, {
    schema: { enum: words },
    rules: [IsIn(words, message === undefined ? {} : { message })],
  });
}

/** The id of something. */
export function Id(options: FieldOptions = {}): PropertyDecorator {
  return Field({ format: 'uuid', ...options }, { type: String, rules: [IsUUID()] });
}

/** The longest address of the web that is kept. */
const MAX_ADDRESS_CHARACTERS = 2_048;

/** An address that a browser may be sent to. */
export function WebAddress(options: FieldOptions): PropertyDecorator {
  return Field(options, {
    type: String,
    schema: { maxLength: MAX_ADDRESS_CHARACTERS },
    rules: [IsWebAddress(), MaxLength(MAX_ADDRESS_CHARACTERS)],
  });
}

/** The longest e-mail address (contract 1.17). */
export const MAX_EMAIL_CHARACTERS = 254;

export function Email(options: FieldOptions): PropertyDecorator {
  return Field(options, {
    type: String,
    schema: { maxLength: MAX_EMAIL_CHARACTERS },
    rules: [IsEmail(), MaxLength(MAX_EMAIL_CHARACTERS)],
  });
}

/** An object with fields of its own. */
export function Nested(body: Type, options: FieldOptions): PropertyDecorator {
  return Field(options, {
    schema: { type: body },
    rules: [IsObject(), ValidateNested(), HoldsClass(() => body)],
  });
}

/** A list of objects with fields of their own. */
export function ListOf(
  body: Type,
  { max, ...options }: FieldOptions & { readonly max: number },
): PropertyDecorator {
  return Field(options, {
    schema: { type: [body], maxItems: max },
    rules: [IsArray(), ArrayMaxSize(max), ValidateNested({ each: true }), HoldsClass(() => body)],
  });
}
