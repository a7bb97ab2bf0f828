import type { OpenAPIObject } from '@nestjs/swagger';

/** A schema as far as this looks at it. */
interface Schema {
  enum?: readonly (string | null)[];
  type?: string | readonly string[];
  [name: string]: unknown;
}

/** Properties whose words are a component although no decorator lists them: the list is known with all modules only. */
const NAMED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ProblemView: { code: 'ProblemCode' },
  DeliveryView: { event: 'EventName' },
  EventView: { event: 'EventName' },
};

/**
 * Makes each of these sets of words a component, and refers to it wherever the document lists exactly its words: so
 * that generated clients have one type for it, with a name.
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

/** What else the schema says, its description and example, stays beside the reference. */
function referTo(schema: Schema, name: string): void {
  const isNullable = schema.enum?.includes(null) === true || [schema.type].flat().includes('null');
  delete schema.enum;
  delete schema.type;
  const reference = { $ref: `#/components/schemas/${name}` };
  if (isNullable) schema['anyOf'] = [reference, { type: 'null' }];
  else Object.assign(schema, reference);
}

/** The same words are the same set, whatever their order, with null among them or not. */
function keyOf(words: readonly (string | null)[]): string {
  return JSON.stringify(words.filter((word) => word !== null).toSorted());
}
