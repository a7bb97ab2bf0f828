import type { OpenAPIObject } from '@nestjs/swagger';

/** The parts of a schema that this module reads. */
interface Schema {
  enum?: readonly (string | null)[];
  type?: string | readonly string[];
  [name: string]: unknown;
}

/** Properties that get a component although no decorator lists their words: only all modules together know these. */
const NAMED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ProblemView: { code: 'ProblemCode' },
  DeliveryView: { event: 'EventName' },
  EventView: { event: 'EventName' },
};

/**
 * Makes each of these sets of words a component, and refers to it wherever the document lists exactly its words.
 * Generated clients then have one named type for each.
 */
export function shareEnums(
  document: OpenAPIObject,
  enums: Readonly<Record<string, readonly string[]>>,
): OpenAPIObject {
  const nameOf = new Map(Object.entries(enums).map(([name, words]) => [keyOf(words), name]));
  replaceEnums(document.paths, nameOf);
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
  replaceEnums(schemas, nameOf);
  for (const [view, properties] of Object.entries(NAMED)) {
    const held = schemas[view]?.['properties'] as Record<string, Schema> | undefined;
    for (const [property, name] of Object.entries(properties)) {
      if (held?.[property] !== undefined) referTo(held[property], name);
    }
  }
  for (const [name, words] of Object.entries(enums)) schemas[name] = { type: 'string', enum: [...words] };
  document.components = { ...document.components, schemas: schemas as never };
  return document;
}

function replaceEnums(node: unknown, nameOf: ReadonlyMap<string, string>): void {
  if (node === null || typeof node !== 'object') return;
  const { enum: words } = node as Schema;
  const name = Array.isArray(words) ? nameOf.get(keyOf(words)) : undefined;
  if (name !== undefined) referTo(node as Schema, name);
  for (const [key, value] of Object.entries(node)) {
    if (key !== 'example' && key !== 'examples') replaceEnums(value, nameOf);
  }
}

/** The schema keeps its description and example beside the reference. */
function referTo(schema: Schema, name: string): void {
  const isNullable = schema.enum?.includes(null) === true || [schema.type].flat().includes('null');
  delete schema.enum;
  delete schema.type;
  const reference = { $ref: `#/components/schemas/${name}` };
  if (isNullable) schema['anyOf'] = [reference, { type: 'null' }];
  else Object.assign(schema, reference);
}

/** Sets of the same words have the same key, in any order, and with or without null. */
function keyOf(words: readonly (string | null)[]): string {
  return JSON.stringify(words.filter((word) => word !== null).toSorted());
}
