import { type OpenApiDocument, type Operation, resolveReference, type Schema } from './openapi.js';

/*
 * What of a document breaks a client that was written against an earlier one: an operation, an answer or a field that
 * is gone, something that is asked for and was not, a value that is no longer taken.
 */

type Documents = readonly [released: OpenApiDocument, current: OpenApiDocument];

/** In words; empty when every client goes on working. */
export function breakingChanges(released: OpenApiDocument, current: OpenApiDocument): string[] {
  return Object.entries(released.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const name = `${method.toUpperCase()} ${path}`;
      const now = current.paths[path]?.[method];
      return now === undefined ? [`${name} is gone`] : changesOf(name, operation, now, [released, current]);
    }),
  );
}

function changesOf(name: string, before: Operation, now: Operation, documents: Documents): string[] {
  const known = (parameter: { name: string; in: string }) =>
    (before.parameters ?? []).find((other) => other.name === parameter.name && other.in === parameter.in);
  const asked = (now.parameters ?? [])
    .filter((parameter) => isRequired(parameter) && !isRequired(known(parameter)))
    .map((parameter) => `${name} asks for ${parameter.in} ${parameter.name}`);
  const gone = (before.parameters ?? [])
    .filter((old) => !(now.parameters ?? []).some((other) => other.name === old.name && other.in === old.in))
    .map((old) => `${name} does not take ${old.in} ${old.name}`);
  const bodies = Object.entries(before.requestBody?.content ?? {}).flatMap(([type, { schema }]) => {
    const other = now.requestBody?.content[type];
    if (other === undefined) return [`${name} does not take ${type}`];
    return schemaChanges(`${name} request`, schema, other.schema, documents, 'request');
  });
  const answers = Object.entries(before.responses)
    .filter(([status]) => /^[23]/.test(status))
    .flatMap(([status, response]) => {
      const answer = now.responses[status];
      if (answer === undefined) return [`${name} does not answer ${status}`];
      return Object.entries(response.content ?? {}).flatMap(([type, { schema }]) =>
        answer.content?.[type] === undefined
          ? [`${name} ${status} is no ${type}`]
          : schemaChanges(`${name} ${status}`, schema, answer.content[type].schema, documents, 'answer'),
      );
    });
  return [...asked, ...gone, ...bodies, ...answers];
}

function isRequired(parameter: object | undefined): boolean {
  return (parameter as { required?: boolean } | undefined)?.required === true;
}

/** Schemas may hold themselves. */
const MAX_DEPTH = 12;

function schemaChanges(
  at: string,
  one: Schema | undefined,
  other: Schema | undefined,
  documents: Documents,
  side: 'request' | 'answer',
  depth = 0,
): string[] {
  const [before, now] = [resolved(one, documents[0]), resolved(other, documents[1])];
  if (before === undefined || now === undefined || depth > MAX_DEPTH) return [];
  const types = (schema: Schema) => [schema.type ?? []].flat();
  const [given, taken] = side === 'answer' ? [types(now), types(before)] : [types(before), types(now)];
  const fits = (type: string) => taken.includes(type) || (type === 'integer' && taken.includes('number'));
  if (given.length > 0 && taken.length > 0 && !given.every(fits))
    return [`${at} was ${types(before).join(' or ')} and is ${types(now).join(' or ')}`];
  const values =
    side === 'request'
      ? (before.enum ?? []).filter((value) => now.enum !== undefined && !now.enum.includes(value))
      : [];
  const changes = values.map((value) => `${at} does not take ${JSON.stringify(value)}`);
  const required =
    side === 'request'
      ? (now.required ?? []).filter((field) => !(before.required ?? []).includes(field))
      : (before.required ?? []).filter((field) => !(now.required ?? []).includes(field));
  changes.push(
    ...required.map((field) => `${at}/${field} is ${side === 'request' ? 'asked for' : 'not sure to come'}`),
  );
  for (const [field, property] of Object.entries(before.properties ?? {})) {
    const own = now.properties?.[field];
    if (own === undefined) changes.push(`${at}/${field} is gone`);
    else changes.push(...schemaChanges(`${at}/${field}`, property, own, documents, side, depth + 1));
  }
  return [...changes, ...schemaChanges(`${at}[]`, before.items, now.items, documents, side, depth + 1)];
}

function resolved(schema: Schema | undefined, document: OpenApiDocument): Schema | undefined {
  const [only, ...others] = schema?.allOf ?? [];
  const one = only !== undefined && others.length === 0 ? only : schema;
  return one?.$ref === undefined ? one : (resolveReference(document, one.$ref) as Schema | undefined);
}
