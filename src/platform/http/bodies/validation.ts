import { type ArgumentMetadata, type Type, ValidationPipe, type ValidationPipeOptions } from '@nestjs/common';
import { getMetadataStorage, type ValidationError } from 'class-validator';
import {
  invalidInput,
  MAX_REPORTED_PLACES,
  type DomainError,
  type InputProblem,
} from '../../../kernel/domain-error.js';
import { escapePointer } from '../../../kernel/text.js';
import { CompiledValidation } from './compiled-validation.js';
import { checkShape, isObject } from './list-rules.js';
import { refusePlaces, refuseUnstorable } from './refuse-places.js';

export const UNKNOWN_FIELD = 'is not a known field';

/**
 * The pipe for merchant and admin bodies: unknown fields are refused, nothing is converted silently (contract 1.11).
 */
export function strictValidation(): ValidationPipe {
  return new StrictValidation({}, false);
}

/**
 * The pipe for phone-app bodies: unknown fields are ignored, since a newer app must not lose receipts (contract
 * 1.12). The strict pipe is global and comes first, so the parameter is declared as `object`, which it passes on, and
 * the class here.
 */
export function tolerantValidation(expectedType?: Type): ValidationPipe {
  return new BodyValidation({ expectedType }, true);
}

const compiledClasses = new WeakMap<Type, CompiledValidation<object> | null>();

function compiled(type: Type): CompiledValidation<object> | null {
  let known = compiledClasses.get(type);
  if (known === undefined) {
    known = CompiledValidation.of(type as Type<object>);
    compiledClasses.set(type, known);
  }
  return known;
}

/** A pipe of bodies: `ignoreUnknown` leaves unknown fields out, else they are refused. */
class BodyValidation extends ValidationPipe {
  constructor(
    options: ValidationPipeOptions,
    private readonly ignoreUnknown: boolean,
  ) {
    super({ ...options, ...SHARED, whitelist: true, forbidNonWhitelisted: !ignoreUnknown });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const type = this.bodyType(metadata);
    if (type === null) return super.transform(value, metadata);
    // A frequent body that is good in every respect is found so by the compiled rules alone.
    const accepted = compiled(type)?.accept(value, { ignoreUnknown: this.ignoreUnknown });
    if (accepted != null) return accepted;
    // A value that cannot be a body of its class is refused before anything is done for each of its parts.
    if (value !== undefined && !isObject(value)) refusePlaces([''], 'must be an object');
    else if (value !== undefined) checkShape(value, type);
    const known = withoutUnknownContents(value, type);
    const transformed: unknown = await super.transform(known, metadata);
    if (!this.ignoreUnknown) refusePlaces(inheritedNames(known, transformed, ''), UNKNOWN_FIELD);
    return transformed;
  }

  /** The class of a body that is to be validated, else null. */
  private bodyType(metadata: ArgumentMetadata): Type | null {
    const type = this.expectedType ?? metadata.metatype;
    if (metadata.type !== 'body' || type === undefined) return null;
    return this.toValidate({ ...metadata, metatype: type }) ? type : null;
  }
}

/** Strict about bodies and queries: a filter that is misspelt would otherwise list everything (contract 1.11). */
class StrictValidation extends BodyValidation {
  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    // The parser of bodies has done this for them.
    if (metadata.type !== 'query') return super.transform(value, metadata);
    refuseUnstorable(value);
    return super.transform(gathered(value, metadata.metatype), metadata);
  }
}

/** A query class that gathers parameters such as `metadata.orderId` into one object, named by their prefix. */
export interface GathersParameters {
  readonly gathers: string;
}

function gathered(value: unknown, type: Type & Partial<GathersParameters> = Object): unknown {
  const { gathers } = type;
  if (gathers === undefined || !isObject(value)) return value;
  const isOfPrefix = (name: string) => name.startsWith(`${gathers}.`);
  const entries = Object.entries(value);
  const of = entries.filter(([name]) => isOfPrefix(name));
  if (of.length === 0) return value;
  const held = Object.fromEntries(of.map(([name, one]) => [name.slice(gathers.length + 1), one]));
  // A parameter of the bare name stays, and is refused as it is no object.
  return { [gathers]: held, ...Object.fromEntries(entries.filter(([name]) => !isOfPrefix(name))) };
}

const knownNames = new WeakMap<Type, ReadonlySet<string>>();

/**
 * The content of an unknown field does not matter, but Nest's pipe would walk through each part of it, several times.
 */
function withoutUnknownContents(value: unknown, type: Type): unknown {
  if (!isObject(value)) return value;
  let names = knownNames.get(type);
  if (names === undefined) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
    names = new Set(rules.map(({ propertyName }) => propertyName));
    knownNames.set(type, names);
  }
  const isKnown = names.has.bind(names);
  if (Object.keys(value).every(isKnown)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, isKnown(name) ? held : null]));
}

/**
 * The rest of the unknown fields: class-validator looks names up in a plain object and class-transformer skips what
 * an object inherits, so that a field called `toString` is known to the one and not seen by the other.
 */
function inheritedNames(plain: unknown, transformed: unknown, pointer: string): string[] {
  if (!isContainer(plain) || !isContainer(transformed)) return [];
  const hasClass = !Array.isArray(transformed) && Object.getPrototypeOf(transformed) !== Object.prototype;
  return Object.keys(plain).flatMap((key) => {
    const at = `${pointer}/${escapePointer(key)}`;
    if (hasClass && key in Object.prototype) return [at];
    return isContainer(plain[key]) ? inheritedNames(plain[key], transformed[key], at) : [];
  });
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object';
}

const SHARED = {
  transform: true,
  forbidUnknownValues: true,
  validationError: { target: false, value: false },
  exceptionFactory: asInvalidInput,
} as const;

function asInvalidInput(errors: ValidationError[]): DomainError {
  return invalidInput(errors.slice(0, MAX_REPORTED_PLACES).flatMap((error) => problemsOf(error, '')));
}

function problemsOf(error: ValidationError, parent: string): InputProblem[] {
  const pointer = error.property === undefined ? parent : `${parent}/${escapePointer(error.property)}`;
  // One sentence for a place. Decorators apply from below, so the last is the topmost: the type, before its limits.
  const [rule, message] = Object.entries(error.constraints ?? {}).at(-1) ?? [];
  const detail =
    rule === 'whitelistValidation' ? UNKNOWN_FIELD : withoutProperty(message ?? '', error.property);
  const own = message === undefined ? [] : [{ pointer, detail }];
  return [
    ...own,
    ...(error.children ?? []).slice(0, MAX_REPORTED_PLACES).flatMap((child) => problemsOf(child, pointer)),
  ];
}

/** class-validator starts its sentences with the name of the property, which the pointer already says. */
function withoutProperty(message: string, property: string | undefined): string {
  return property !== undefined && message.startsWith(`${property} `)
    ? message.slice(property.length + 1)
    : message;
}
