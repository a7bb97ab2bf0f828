import { AppModule, documentPartsOf, EXTENSION_NAMES, loadConfiguration } from '../app.module.js';
import type { OpenAPIObject } from '@nestjs/swagger';
import { ModulesContainer, NestFactory, RouterModule } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { readFile, writeFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { phoneRoutes } from '../inbound/index.js';
import { ServiceSettings } from '../platform/config/index.js';
import { buildOpenApiDocument } from '../platform/openapi/openapi-document.js';

/*
 * `npm run openapi` writes test/openapi.json, and what each extension adds to it beside the extension, and `npm run
 * openapi:check` says whether it is still true, so that a change of the contract shows in review.
 */

const CORE_PATH = 'test/openapi.json';

/** Never used for anything: the document depends on the modules alone, and nothing is started. */
const ENVIRONMENT = {
  ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
  JWT_SECRET: 'x'.repeat(32),
  DATABASE_URL: 'postgres://localhost/none',
  SMTP_URL: 'smtp://localhost',
};

/** The document of the real modules. Preview builds none of their providers, so that no database is needed. */
async function documentWith(extensions: readonly string[]): Promise<OpenAPIObject> {
  const configuration = loadConfiguration({ ...ENVIRONMENT, EXTENSIONS: extensions.join(',') });
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.forRoot({ configuration, databaseUrl: ENVIRONMENT.DATABASE_URL }),
    new FastifyAdapter(),
    { preview: true, abortOnError: false, logger: ['fatal', 'error'] },
  );
  // The one provider that says something about paths: without it the phone's endpoints would be missing their prefix.
  new RouterModule(app.get(ModulesContainer), phoneRoutes(configuration.of(ServiceSettings).serviceName));
  const document = buildOpenApiDocument(app, documentPartsOf(configuration));
  return JSON.parse(JSON.stringify(document)) as OpenAPIObject;
}

/** Components that grow with each extension: they hold words of every module. */
const GROWING = ['ProblemCode', 'EventName'];

/** The part of a document that an extension adds to the core's. */
function additionsOf(whole: OpenAPIObject, core: OpenAPIObject): unknown {
  const isNew = (name: string, value: unknown, of: Record<string, unknown>) =>
    !Object.hasOwn(of, name) || (GROWING.includes(name) && !isDeepStrictEqual(value, of[name]));
  const added = (of: object | undefined, to: object = {}) =>
    Object.fromEntries(
      Object.entries(of ?? {}).filter(([name, value]) => isNew(name, value, to as Record<string, unknown>)),
    );
  const components = Object.entries(whole.components ?? {}).map(([kind, members]): [string, object] => [
    kind,
    added(members as object, (core.components as Record<string, object> | undefined)?.[kind]),
  ]);
  return {
    openapi: whole.openapi,
    paths: added(whole.paths, core.paths),
    webhooks: added(whole.webhooks, core.webhooks),
    components: Object.fromEntries(components.filter(([, members]) => Object.keys(members).length > 0)),
  };
}

async function current(): Promise<Map<string, string>> {
  const core = await documentWith([]);
  const documents = new Map<string, unknown>([[CORE_PATH, core]]);
  for (const name of EXTENSION_NAMES) {
    documents.set(`src/extensions/${name}/openapi.json`, additionsOf(await documentWith([name]), core));
  }
  return new Map([...documents].map(([path, document]) => [path, `${JSON.stringify(document, null, 2)}\n`]));
}

export async function openapi(arguments_: readonly string[]): Promise<number> {
  let allCurrent = true;
  for (const [path, text] of await current()) {
    if (arguments_.includes('--check')) allCurrent = (await check(path, text)) && allCurrent;
    else {
      await writeFile(path, text);
      say(`Wrote ${path}.`);
    }
  }
  return allCurrent ? 0 : 1;
}

async function check(path: string, text: string): Promise<boolean> {
  const kept = await readFile(path, 'utf8').catch(() => '');
  if (kept === text) {
    say(`${path} is up to date.`);
    return true;
  }
  const [keptLines, currentLines] = [kept.split('\n'), text.split('\n')];
  const line = currentLines.findIndex((one, index) => one !== keptLines[index]);
  say(
    `${path} is out of date: run "npm run openapi", and look at the difference.\n` +
      `It begins in line ${line + 1}:\n- ${keptLines[line] ?? '(nothing)'}\n+ ${currentLines[line] ?? '(nothing)'}`,
  );
  return false;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
