import type { Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import { invalidInput, type InputProblem } from '../../../kernel/domain-error.js';

/** The shape of a field that holds objects, or a list. */
interface ShapeRule {
  readonly property: string;
  /** Longest list; null where the class names none. */
  maxItems: number | null;
  holds: 'object' | 'objects' | 'anything';
}

const rulesOfClass = new WeakMap<Type, readonly ShapeRule[]>();

/**
 * Looks at the lists and objects that the fields of a body hold, before class-validator does: it walks into a list
 * where an object should be (`wallets: [[]]` passes it), and checks every item of a list that is too long already.
 *
 * @throws DomainError `request.invalid`
 */
export function checkShape(value: Record<string, unknown>, type: Type): void {
  const problems: InputProblem[] = [];
  for (const rule of rulesOf(type)) {
    const field = value[rule.property];
    if (field !== undefined && field !== null) problems.push(...problemsOf(field, rule));
  }
  if (problems.length > 0) throw invalidInput(problems);
}

function problemsOf(field: unknown, { property, maxItems, holds }: ShapeRule): InputProblem[] {
  const pointer = `/${property}`;
  if (holds === 'object') return isObject(field) ? [] : [{ pointer, detail: 'must be an object' }];
  // A value that is no list is refused by the rules of the field.
  if (!Array.isArray(field)) return [];
  if (maxItems !== null && field.length > maxItems)
    return [{ pointer, detail: `must contain no more than ${maxItems} elements` }];
  if (holds === 'anything') return [];
  return field.flatMap((item: unknown, index) =>
    isObject(item) ? [] : [{ pointer: `${pointer}/${index}`, detail: 'must be an object' }],
  );
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function rulesOf(type: Type): readonly ShapeRule[] {
  const known = rulesOfClass.get(type);
  if (known !== undefined) return known;
  const rules = new Map<string, ShapeRule>();
  for (const metadata of getMetadataStorage().getTargetValidationMetadatas(type, '', false, false)) {
    const isNested = metadata.type === 'nestedValidation';
    const isLimit = metadata.name === 'arrayMaxSize';
    if (!isNested && !isLimit) continue;
    const property = metadata.propertyName;
    const rule = rules.get(property) ?? { property, maxItems: null, holds: 'anything' as const };
    rules.set(property, rule);
    if (isNested) rule.holds = metadata.each ? 'objects' : 'object';
    if (isLimit) rule.maxItems = (metadata.constraints as [number])[0];
  }
  const list = [...rules.values()];
  rulesOfClass.set(type, list);
  return list;
}
