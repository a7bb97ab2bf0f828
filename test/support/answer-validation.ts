import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Operation } from './openapi.js';

/*
 * What the API answers in any test is held against the document: the status must stand there, and the body must fit
 * its schema. A schema is compiled once in a process, when the first answer of its kind comes.
 */

interface Answered {
  readonly method: string;
  /** With or without a query. */
  readonly path: string;
  readonly status: number;
  readonly contentType: string;
  readonly body: unknown;
}

interface Template {
  readonly path: string;
  readonly pattern: RegExp;
  readonly parameters: number;
  readonly isExtension: boolean;
  readonly operations: Readonly<Record<string, Operation>>;
}

interface Validation {
  readonly templates: readonly Template[];
  /** Null where the document names no such body. */
  validatorOf(template: Template, method: string, status: string, mediaType: string): ValidateFunction | null;
}

const EXTENSIONS = 'src/extensions';
const DOCUMENT = 'openapi';

let validation: Validation | null = null;

/** What the document does not say of an answer; empty when all is said, or when the address is none of the API's. */
export function answerProblems({ method, path, status, contentType, body }: Answered): string[] {
  validation ??= load();
  const [bare = ''] = path.split('?', 1);
  const template = validation.templates.find(({ pattern }) => pattern.test(bare));
  const operation = template?.operations[method.toLowerCase()];
  if (template === undefined || operation === undefined) return [];
  const name = `${method} ${template.path} ${status}`;
  // Extensions that are switched off have left nothing behind.
  if (template.isExtension && status === 404 && codeOf(body) === 'request.not_found') return [];
  if (!Object.hasOwn(operation.responses, String(status))) return [`${name} is not documented`];
  const mediaType = contentType.split(';', 1)[0]?.trim() ?? '';
  if (!/json$/.test(mediaType)) return [];
  const validate = validation.validatorOf(template, method, String(status), mediaType);
  if (validate === null) return [`${name} has no ${mediaType} in the document`];
  if (validate(body)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${name}: ${instancePath || '/'} ${message ?? ''} ${JSON.stringify(params)}`,
  );
}

/** @throws Error when the document does not say what came */
export function expectDocumented(answered: Answered): void {
  if (!answered.path.startsWith('/api/')) return;
  const problems = answerProblems(answered);
  const report = process.env['ANSWER_REPORT'];
  if (report !== undefined) {
    for (const problem of problems) appendFileSync(report, `${problem}\n`);
    return;
  }
  if (problems.length > 0) throw new Error(`The OpenAPI document is not true: ${problems.join('; ')}`);
}

function codeOf(body: unknown): unknown {
  return (body as { code?: unknown } | null)?.code;
}

function load(): Validation {
  const { document, ofExtensions } = wholeDocument();
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, DOCUMENT);
  const compiled = new Map<string, ValidateFunction | null>();
  const templates = Object.entries(document.paths)
    .map(([path, operations]) => ({
      path,
      pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
      parameters: path.split('{').length - 1,
      isExtension: ofExtensions.has(path),
      operations,
    }))
    .sort((one, other) => one.parameters - other.parameters);
  const validatorOf: Validation['validatorOf'] = (template, method, status, mediaType) => {
    const key = `${method} ${template.path} ${status} ${mediaType}`;
    const known = compiled.get(key);
    if (known !== undefined) return known;
    const pointer = schemaPointer(document, template, method.toLowerCase(), status, mediaType);
    const made = pointer === null ? null : ajv.compile({ $ref: `${DOCUMENT}#${pointer}` });
    compiled.set(key, made);
    return made;
  };
  return { templates, validatorOf };
}

interface WholeDocument {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: Record<string, Record<string, unknown>>;
}

/** The core's document and what each extension adds to it. */
function wholeDocument(): { document: WholeDocument; ofExtensions: ReadonlySet<string> } {
  const ofExtensions = new Set<string>();
  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as WholeDocument;
  const whole = read('test/openapi.json');
  for (const { name } of readdirSync(EXTENSIONS, { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  )) {
    const { paths, components } = read(join(EXTENSIONS, name, 'openapi.json'));
    Object.assign(whole.paths, paths);
    for (const path of Object.keys(paths)) ofExtensions.add(path);
    for (const [kind, members] of Object.entries(components)) {
      const known = whole.components[kind] ?? {};
      // An extension repeats the enumerations that hold words of every module, with its own words added.
      const merged = Object.entries(members).map(([member, schema]) => [
        member,
        withWordsOf(known[member], schema),
      ]);
      whole.components[kind] = { ...known, ...(Object.fromEntries(merged) as Record<string, unknown>) };
    }
  }
  return { document: whole, ofExtensions };
}

function withWordsOf(known: unknown, added: unknown): unknown {
  const [one, other] = [known, added].map((schema) => (schema as { enum?: string[] } | undefined)?.enum);
  return one === undefined || other === undefined
    ? added
    : { ...(added as object), enum: [...new Set([...one, ...other])] };
}

function schemaPointer(
  document: WholeDocument,
  { path, operations }: Template,
  method: string,
  status: string,
  mediaType: string,
): string | null {
  const response = operations[method]?.responses[status];
  const referred = response?.$ref?.slice(1);
  const found =
    referred === undefined
      ? response
      : (document.components['responses']?.[referred.split('/').at(-1) ?? ''] as typeof response);
  if (found?.content?.[mediaType]?.schema === undefined) return null;
  const base = referred ?? `/paths/${escaped(path)}/${method}/responses/${status}`;
  return `${base}/content/${escaped(mediaType)}/schema`;
}

const escaped = (key: string) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
