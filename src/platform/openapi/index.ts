export { buildOpenApiDocument, type DocumentPart } from './openapi-document.js';
export { serveOpenApi } from './openapi-pages.js';
