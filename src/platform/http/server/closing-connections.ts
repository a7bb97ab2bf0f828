import type { FastifyInstance } from 'fastify';
import type { HttpSocket } from './http-socket.js';

/**
 * How long a stop waits for a request that still arrives, or for an answer that is still being read, in milliseconds.
 */
const PATIENCE_MS = 2_000;

/**
 * Lets a stop wait for requests that are being worked on, and for nothing else. Node waits for every connection that
 * is not idle, and takes for busy what has not sent a word yet, or half a request; it also looks at no time-out any
 * more once it stops. One connection that a browser opened in advance would keep the service from stopping for good.
 */
export function registerConnectionClosing(fastify: FastifyInstance): void {
  const sockets = new Set<HttpSocket>();
  fastify.server.on('connection', (socket: HttpSocket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  fastify.addHook('preClose', (done) => {
    for (const socket of sockets) {
      const response = socket._httpMessage ?? null;
      if (response === null) socket.destroy();
      // Its client may mean to send another one.
      else response.once('close', () => socket.destroySoon());
    }
    const deadline = setTimeout(() => {
      for (const socket of sockets) if (!isWorkedOn(socket)) socket.destroy();
    }, PATIENCE_MS);
    fastify.server.once('close', () => clearTimeout(deadline));
    done();
  });
}

/** The request is whole, and its answer has not begun. */
function isWorkedOn({ _httpMessage: response }: HttpSocket): boolean {
  return response?.req.complete === true && !response.headersSent;
}
