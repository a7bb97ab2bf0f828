import type { Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';

/** The limits of a field of a body that a form must know. */
export interface Limits {
  /** May neither be left out nor be null. */
  readonly required: boolean;
  /** Null says the same as leaving it out. */
  readonly nullable: boolean;
  /** Most characters; undefined where there is no such limit. */
  readonly max: number | undefined;
}

const MAX_RULES = ['maxCharacters', 'maxLength'];

/** The limits of a field, from the rules that the API checks it by. */
export function limitsOf(body: Type, field: string): Limits {
  const rules = getMetadataStorage()
    .getTargetValidationMetadatas(body, '', false, false)
    .filter(({ propertyName }) => propertyName === field);
  const conditions = rules.filter(({ type }) => type === 'conditionalValidation');
  const max = rules.find(({ name }) => name !== undefined && MAX_RULES.includes(name));
  return {
    required: conditions.length === 0,
    nullable: conditions.some(({ name }) => name === 'isOptional'),
    max: (max?.constraints as [number] | undefined)?.[0],
  };
}
