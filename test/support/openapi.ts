/** The parts of an OpenAPI document that the contract tests look at. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly example?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

export interface MediaType {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { $ref?: string; summary?: string; value?: unknown }>>;
}

export interface ResponseObject {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

export interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly { name: string; in: string; description?: string; schema?: Schema }[];
  readonly requestBody?: { content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { title: string; version: string; description: string };
  readonly tags: readonly { name: string; description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>> & {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
}

/** Every operation with a name for messages, such as `POST /api/v1/payments`. */
export function operationsOf(
  document: OpenApiDocument,
): { name: string; path: string; operation: Operation }[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      operation,
    })),
  );
}

/** Every `$ref` anywhere in a value. */
export function referencesIn(value: unknown): string[] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === '$ref' && typeof member === 'string' ? [member] : referencesIn(member),
  );
}

/** What a `$ref` of this document points at; undefined when it points at nothing. */
export function resolveReference(document: OpenApiDocument, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined;
  const keys = reference
    .slice(2)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  return keys.reduce<unknown>(
    (value, key) =>
      value !== null && typeof value === 'object' && Object.hasOwn(value, key)
        ? (value as Record<string, unknown>)[key]
        : undefined,
    document,
  );
}

/** What is wrong with a value under a schema, as far as our documents use JSON Schema; empty when it fits. */
export function schemaProblems(
  document: OpenApiDocument,
  schema: Schema,
  value: unknown,
  at: string,
): string[] {
  if (schema.$ref !== undefined) {
    return schemaProblems(document, resolveReference(document, schema.$ref) as Schema, value, at);
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) {
    const fits = choices.some((choice) => schemaProblems(document, choice, value, at).length === 0);
    return fits ? [] : [`${at} fits none of the choices`];
  }
  const parts = (schema.allOf ?? []).flatMap((part) => schemaProblems(document, part, value, at));
  if (schema.type !== undefined && ![schema.type].flat().some((type) => isOfType(type, value))) {
    return [`${at} is not ${[schema.type].flat().join(' or ')}: ${JSON.stringify(value)}`];
  }
  if (schema.enum !== undefined && !schema.enum.includes(value)) {
    return [`${at} is none of the values: ${JSON.stringify(value)}`];
  }
  if (typeof value === 'string') return [...parts, ...textProblems(schema, value, at)];
  if (typeof value === 'number') return [...parts, ...numberProblems(schema, value, at)];
  if (Array.isArray(value)) {
    const items = schema.items;
    const tooMany = value.length > (schema.maxItems ?? Infinity) ? [`${at} has too many items`] : [];
    const wrong =
      items === undefined
        ? []
        : value.flatMap((item, index) => schemaProblems(document, items, item, `${at}/${index}`));
    return [...parts, ...tooMany, ...wrong];
  }
  if (value !== null && typeof value === 'object') {
    return [...parts, ...objectProblems(document, schema, value as Record<string, unknown>, at)];
  }
  return parts;
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object') return value !== null && typeof value === 'object' && !Array.isArray(value);
  return typeof value === type;
}

const FORMATS: Readonly<Record<string, RegExp>> = {
  uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/,
};

function textProblems(schema: Schema, value: string, at: string): string[] {
  const problems: string[] = [];
  const format = FORMATS[schema.format ?? ''];
  if (format !== undefined && !format.test(value)) problems.push(`${at} is no ${schema.format}: ${value}`);
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value)) {
    problems.push(`${at} does not match ${schema.pattern}: ${value}`);
  }
  if (value.length < (schema.minLength ?? 0) || value.length > (schema.maxLength ?? Infinity)) {
    problems.push(`${at} has a wrong length: ${value}`);
  }
  return problems;
}

function numberProblems(schema: Schema, value: number, at: string): string[] {
  const isInside = value >= (schema.minimum ?? -Infinity) && value <= (schema.maximum ?? Infinity);
  return isInside ? [] : [`${at} is out of bounds: ${value}`];
}

function objectProblems(
  document: OpenApiDocument,
  schema: Schema,
  value: Record<string, unknown>,
  at: string,
): string[] {
  const missing = (schema.required ?? []).filter((key) => !Object.hasOwn(value, key));
  return [
    ...missing.map((key) => `${at}/${key} is missing`),
    ...Object.entries(value).flatMap(([key, member]) => {
      const property = schema.properties?.[key];
      if (property !== undefined) return schemaProblems(document, property, member, `${at}/${key}`);
      if (schema.additionalProperties === false) return [`${at}/${key} is not a known field`];
      const other = schema.additionalProperties;
      return typeof other === 'object' ? schemaProblems(document, other, member, `${at}/${key}`) : [];
    }),
  ];
}
