import type { Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import { createRequire } from 'node:module';

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

/** The metadata of class-transformer about a class; its types leave this out. */
interface TransformerStorage {
  getExposedMetadatas(target: object): unknown[];
  getExcludedMetadatas(target: object): unknown[];
  findTypeMetadata(target: object, property: string): unknown;
  findTransformMetadatas(target: object, property: string, kind: number): unknown[];
}

const PLAIN_TO_CLASS = 0;
const { defaultMetadataStorage: transformer } = createRequire(import.meta.url)(
  'class-transformer/cjs/storage.js',
) as { defaultMetadataStorage: TransformerStorage };

/**
 * What class-validator declares about a class, made into a list of functions once: the good case of `ValidationPipe`
 * for a class of plain fields. It decides nothing else. What it does not accept, and every class that nests others or
 * transforms its fields, goes the whole way through class-validator, which alone refuses and says why.
 */
export class CompiledValidation<Body extends object> {
  private constructor(
    private readonly type: Type<Body>,
    private readonly properties: ReadonlyMap<string, PropertyRules>,
  ) {}

  /** Null for a class with rules that this cannot stand for. */
  static of<Body extends object>(type: Type<Body>): CompiledValidation<Body> | null {
    const metadatas = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
    if (metadatas.length === 0 || !isPlain(type, metadatas)) return null;
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

/** Nothing of class-transformer's changes a field on its way, and no field is an accessor or stands in every object. */
function isPlain(type: Type, metadatas: readonly ValidationMetadata[]): boolean {
  if (transformer.getExposedMetadatas(type).length > 0 || transformer.getExcludedMetadatas(type).length > 0)
    return false;
  return metadatas.every(
    ({ propertyName: name }) =>
      !(name in (type.prototype as object)) &&
      transformer.findTypeMetadata(type, name) == null &&
      transformer.findTransformMetadatas(type, name, PLAIN_TO_CLASS).length === 0,
  );
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
