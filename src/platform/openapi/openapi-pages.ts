import type { INestApplication } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject, SwaggerCustomOptions } from '@nestjs/swagger';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { ServiceSettings } from '../config/index.js';
import { readApiLibrary } from '../http/index.js';
import { once } from '../../kernel/once.js';
import { buildOpenApiDocument, type DocumentPart } from './openapi-document.js';
import { answerUnchanged, Asset, type Assets, loadAssets } from '../web/assets.js';

/** Where the document is, and whatever shows it. */
const DOCS = '/api/docs';
const UI_PAGES = ['', '/', '/index.html', '/swagger-ui-init.js'];
const UI_FILES = [
  '/swagger-ui.css',
  '/swagger-ui-bundle.js',
  '/swagger-ui-standalone-preset.js',
  '/favicon-16x16.png',
  '/favicon-32x32.png',
];

/**
 * Serves the document at `/api/docs/openapi.json` and Swagger UI at `/api/docs`. Strangers may ask for it as often as
 * they like and never read it, so it is written once, when it is asked for first, and all connections wait for the
 * same bytes (contract 14.2). The library that writes it, and the files of the UI, are not read before, either.
 */
export function serveOpenApi(
  app: NestFastifyApplication,
  settings: ServiceSettings,
  parts: readonly DocumentPart[],
): void {
  const documentOnce = once(() => buildOpenApiDocument(app, parts));
  const writtenOnce = once(async () => Buffer.from(JSON.stringify(await documentOnce())));
  const uiOnce = once(async () => {
    const pages = await uiPages(await documentOnce(), uiOptions(settings));
    return new Map([...pages, ...uiFiles()]);
  });
  const fastify = app.getHttpAdapter().getInstance();
  fastify.get(`${DOCS}/openapi.json`, async (_request, reply) =>
    reply.type('application/json').send(await writtenOnce()),
  );
  for (const path of [...UI_PAGES, ...UI_FILES])
    fastify.get(`${DOCS}${path}`, async (request, reply) => {
      const file = (await uiOnce()).get(path)!;
      // Its address stays the same with the next version.
      reply.header('Cache-Control', 'no-cache');
      return answerUnchanged(request, reply, file) ? reply : reply.type(file.contentType).send(file.identity);
    });
}

function uiOptions(settings: ServiceSettings): SwaggerCustomOptions {
  return {
    raw: false,
    customSiteTitle: `Joma API (${settings.serviceName})`,
    swaggerOptions: {
      displayRequestDuration: true,
      tryItOutEnabled: true,
      // Pasted credentials are gone with the page: a browser's storage is no place for an API key.
      persistAuthorization: false,
      // The badge would send the document's address to somebody else's server.
      validatorUrl: 'none',
    },
  };
}

/**
 * What the library answers at each of its paths. Routes have to stand before anybody asks, so they are ours; the
 * library's are only asked for what they say.
 */
async function uiPages(document: OpenAPIObject, options: SwaggerCustomOptions): Promise<Assets> {
  const { SwaggerModule } = await readApiLibrary();
  const routes = new Map<string, (request: { url: string }, reply: object) => unknown>();
  const adapter = {
    get: (path: string, route: () => unknown) => routes.set(path, route),
    getType: () => 'fastify',
    getInstance: () => ({ register: () => undefined }),
    getRequestUrl: ({ url }: { url: string }) => url,
  };
  const collecting = { getHttpAdapter: () => adapter } as unknown as INestApplication;
  SwaggerModule.setup(DOCS, collecting, document, options);
  const pages = new Map<string, Asset>();
  for (const path of UI_PAGES) {
    let type = '';
    const reply = {
      type: (given: string) => (type = given),
      send: (text: string) => pages.set(path, new Asset(`${type}; charset=utf-8`, Buffer.from(text))),
    };
    await routes.get(`${DOCS}${path}`)?.({ url: path }, reply);
  }
  return pages;
}

/** Those that come with the library. */
function uiFiles(): Assets {
  const library = createRequire(createRequire(import.meta.url).resolve('@nestjs/swagger'));
  const fileOf = (path: string) => pathToFileURL(library.resolve(`swagger-ui-dist${path}`));
  return loadAssets(Object.fromEntries(UI_FILES.map((path) => [path, [fileOf(path)]])));
}
