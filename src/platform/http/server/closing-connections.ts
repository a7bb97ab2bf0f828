import type { FastifyInstance } from 'fastify';
import type { ServerResponse } from 'node:http';
import type { Server } from 'node:net';
import type { HttpSocket } from './http-socket.js';
import type { Stopping } from './stopping.js';

/**
 * How long a stop waits for a request that still arrives, or for an answer that is still being read, in milliseconds.
 */
const PATIENCE_MS = 2_000;

/**
 * Ends connections in the order of contract 8.32 and 8.33. From the beginning of a stop, answers carry
 * `Connection: close`. When the listener is closed, idle connections are closed, too.
 *
 * A stop waits for the requests that are being handled, and for nothing else. Node waits for every connection that is
 * not idle, and its time-outs no longer run; it counts a connection as busy that has sent nothing yet, or half a
 * request. One connection that a browser opened in advance would keep the service from stopping.
 */
export function registerConnectionClosing(fastify: FastifyInstance, stopping: Stopping): void {
  const sockets = new Set<HttpSocket>();
  fastify.server.on('connection', (socket: HttpSocket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  stopping.onBegin(() => {
    for (const { _httpMessage: response } of sockets) if (response != null) response.shouldKeepAlive = false;
  });
  fastify.addHook('onRequest', (_request, reply, done) => {
    if (stopping.isStopping) reply.raw.shouldKeepAlive = false;
    done();
  });
  fastify.addHook('preClose', (done) => {
    stopping.begin();
    whenNotListening(fastify.server, () => closeIdle(sockets));
    const deadline = setTimeout(() => {
      for (const socket of sockets) if (!isWorkedOn(socket)) socket.destroy();
    }, PATIENCE_MS);
    fastify.server.once('close', () => clearTimeout(deadline));
    done();
  });
}

function whenNotListening(server: Server, act: () => void): void {
  if (server.listening) setImmediate(() => whenNotListening(server, act));
  else act();
}

function closeIdle(sockets: ReadonlySet<HttpSocket>): void {
  for (const socket of sockets) {
    const response = socket._httpMessage ?? null;
    if (response === null) {
      socket.destroySoon();
      continue;
    }
    // Its client may mean to send another request.
    response.once('close', () => socket.destroySoon());
    if (isEventStream(response)) response.end();
  }
}

/** An event stream would go on for ever. */
function isEventStream(response: ServerResponse): boolean {
  return String(response.getHeader('content-type')).startsWith('text/event-stream');
}

/** The request is whole, and its answer has not begun. */
function isWorkedOn({ _httpMessage: response }: HttpSocket): boolean {
  return response?.req.complete === true && !response.headersSent;
}
