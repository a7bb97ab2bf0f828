// undici's own index brings a browser's worth of things beside its client (fetch, WebSocket, caches, mocks): three quarters of the
// time it takes to read, at every start, and memory for good. These two files of it are all that is sent with.
import errors from 'undici/lib/core/errors.js';
import Client from 'undici/lib/dispatcher/client.js';

export { Client, errors };
