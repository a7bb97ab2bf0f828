import type { Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';

type ValidationMetadata = ReturnType<
  ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']
>[number];

/** One rule of a property; false when it refuses, or would say so later only. */
type Rule = (object: object, value: unknown) => boolean;

interface PropertyRules {
  /** Whether the property is looked at at all (`IsOptional`, `ValidateIf`); all of them must agree. */
  readonly conditions: readonly Rule[];
  readonly rules: readonly Rule[];
}

const PLAIN_FIELDS = 'joma:plain-fields';

/**
 * Says of a body that comes often: no field is changed on its way (`@Transform`, `@Type`, `@Expose`), and none holds
 * objects with fields of their own. Its good case is then decided by functions that are made once.
 */
export function PlainFields(): ClassDecorator {
  return (type) => Reflect.defineMetadata(PLAIN_FIELDS, true, type);
}

/**
 * The rules that class-validator declares about a class, made into a list of functions once: the good case of
 * `ValidationPipe` for a class with `@PlainFields()`, an eighth more payments a second (docs/performance.md). It
 * decides nothing else: what it does not accept goes the whole way through class-validator, which alone refuses and
 * says why.
 */
export class CompiledValidation<Body extends object> {
  private constructor(
    private readonly type: Type<Body>,
    private readonly properties: ReadonlyMap<string, PropertyRules>,
  ) {}

  /** Null for a class that does not say `@PlainFields()`, or has rules that this cannot stand for. */
  static of<Body extends object>(type: Type<Body>): CompiledValidation<Body> | null {
    if (Reflect.getOwnMetadata(PLAIN_FIELDS, type) !== true) return null;
    const metadatas = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
    if (metadatas.length === 0 || !hasOwnNames(type, metadatas)) return null;
    const properties = new Map<string, { conditions: Rule[]; rules: Rule[] }>();
    for (const metadata of metadatas) {
      const rules = properties.get(metadata.propertyName) ?? { conditions: [], rules: [] };
      properties.set(metadata.propertyName, rules);
      const added = metadata.type === 'conditionalValidation' ? conditionOf(metadata) : ruleOf(metadata);
      if (added === null) return null;
      (metadata.type === 'conditionalValidation' ? rules.conditions : rules.rules).push(added);
    }
    return new CompiledValidation(type, properties);
  }

  /**
   * An instance with the fields of a JSON object, or null when class-validator has to look at it. Unknown fields are
   * a case for it, too, or with `ignoreUnknown` are left out.
   */
  accept(value: unknown, { ignoreUnknown }: { ignoreUnknown: boolean }): Body | null {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return null;
    const body = new this.type();
    const fields = body as Record<string, unknown>;
    for (const name of Object.keys(value)) {
      if (this.properties.has(name)) fields[name] = (value as Record<string, unknown>)[name];
      else if (!ignoreUnknown) return null;
    }
    for (const [name, { conditions, rules }] of this.properties) {
      const field = fields[name];
      if (!conditions.every((condition) => condition(body, field))) continue;
      if (!rules.every((rule) => rule(body, field))) return null;
    }
    return body;
  }
}

/** No field is an accessor, or stands in every object. */
function hasOwnNames(type: Type, metadatas: readonly ValidationMetadata[]): boolean {
  return metadatas.every(({ propertyName }) => !(propertyName in (type.prototype as object)));
}

function conditionOf({ constraints }: ValidationMetadata): Rule | null {
  const [condition] = constraints as unknown[];
  return typeof condition === 'function' ? (condition as Rule) : null;
}

function ruleOf(metadata: ValidationMetadata): Rule | null {
  const { type, constraintCls, constraints, each, groups, propertyName, target } = metadata;
  // `Allow`: the field is known, and may be anything.
  if (type === 'whitelistValidation') return () => true;
  const isOrdinary = type === 'customValidation' || type === 'isDefined';
  if (!isOrdinary || each || (groups?.length ?? 0) > 0 || metadata.validateIf !== undefined) return null;
  const validators = getMetadataStorage().getTargetValidatorConstraints(constraintCls);
  if (validators.length === 0 || validators.some((validator) => validator.async)) return null;
  const targetName = typeof target === 'string' ? target : target.name;
  return (object, value) =>
    validators.every(
      ({ instance }) =>
        instance.validate(value, {
          value,
          object,
          targetName,
          property: propertyName,
          constraints: constraints as unknown[],
        }) === true,
    );
}
