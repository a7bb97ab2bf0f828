import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { ServiceSettings } from '../config/index.js';
import { once } from '../../kernel/once.js';
import { answerUnchanged, Asset, type Assets, loadAssets } from '../web/assets.js';
import { buildOpenApiDocument, type DocumentPart } from './openapi-document.js';

/** Where Swagger UI is; the document stands beside it. */
const DOCS = '/api/docs';
const INDEX_PAGES = ['', '/', '/index.html'];
const INITIALISER = '/swagger-ui-init.js';
const UI_FILES = [
  ...['/swagger-ui.css', '/index.css', '/swagger-ui-bundle.js', '/swagger-ui-standalone-preset.js'],
  ...['/favicon-16x16.png', '/favicon-32x32.png'],
];

/**
 * Serves the document at `/api/docs/openapi.json` and Swagger UI at `/api/docs`. Strangers may ask for it as often as
 * they like and never read it, so it is written once, when it is asked for first, and all connections wait for the
 * same bytes (contract 14.2). The files of the UI are not read before, either.
 */
export function serveOpenApi(
  app: NestFastifyApplication,
  settings: ServiceSettings,
  parts: readonly DocumentPart[],
): void {
  const writtenOnce = once(async () => Buffer.from(JSON.stringify(buildOpenApiDocument(app, parts))));
  const uiOnce = once(async () => uiFiles(settings));
  const fastify = app.getHttpAdapter().getInstance();
  fastify.get(`${DOCS}/openapi.json`, async (_request, reply) =>
    reply.type('application/json').send(await writtenOnce()),
  );
  for (const path of [...INDEX_PAGES, INITIALISER, ...UI_FILES])
    fastify.get(`${DOCS}${path}`, async (request, reply) => {
      const file = (await uiOnce()).get(path)!;
      // Its address stays the same with the next version.
      reply.header('Cache-Control', 'no-cache');
      return answerUnchanged(request, reply, file) ? reply : reply.type(file.contentType).send(file.identity);
    });
}

/** Swagger UI as its makers ship it, with our title and our initialiser. */
function uiFiles(settings: ServiceSettings): Assets {
  const library = createRequire(createRequire(import.meta.url).resolve('@nestjs/swagger'));
  const fileOf = (path: string) => pathToFileURL(library.resolve(`swagger-ui-dist${path}`));
  const page = readFileSync(fileOf('/index.html'), 'utf8')
    .replace(/<title>.*<\/title>/, `<title>Joma API (${settings.serviceName})</title>`)
    .replace('swagger-initializer.js', INITIALISER.slice(1))
    // The page stands at `/api/docs` without a slash behind it, too.
    .replaceAll(/(href|src)="(?:\.\/)?/g, `$1="${DOCS}/`);
  const index = new Asset('text/html; charset=utf-8', Buffer.from(page));
  return new Map([
    ...loadAssets(Object.fromEntries(UI_FILES.map((path) => [path, [fileOf(path)]]))),
    ...INDEX_PAGES.map((path) => [path, index] as const),
    [INITIALISER, new Asset('application/javascript; charset=utf-8', Buffer.from(initialiser()))],
  ]);
}

function initialiser(): string {
  const options = {
    url: `${DOCS}/openapi.json`,
    dom_id: '#swagger-ui',
    deepLinking: true,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    // Pasted credentials are gone with the page: a browser's storage is no place for an API key.
    persistAuthorization: false,
    // The badge would send the document's address to somebody else's server.
    validatorUrl: 'none',
    layout: 'StandaloneLayout',
  };
  return `window.onload = () => {
  const presets = [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset];
  window.ui = SwaggerUIBundle({ ...${JSON.stringify(options)}, presets });
};
`;
}
