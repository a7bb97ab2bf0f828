import { createRequire } from 'node:module';
import type { Client, errors } from 'undici';

interface UndiciFiles {
  readonly Client: typeof Client;
  readonly errors: typeof errors;
}

let files: UndiciFiles | undefined;

/**
 * What is sent with: two files of undici. Its own index brings a browser's worth of things beside its client (fetch,
 * WebSocket, caches, mocks), three quarters of the time it takes to read, and memory for good. They are read with the
 * first webhook, not at the start.
 */
export function undici(): UndiciFiles {
  if (files !== undefined) return files;
  const require = createRequire(import.meta.url);
  files = {
    Client: require('undici/lib/dispatcher/client.js') as typeof Client,
    errors: require('undici/lib/core/errors.js') as typeof errors,
  };
  return files;
}
