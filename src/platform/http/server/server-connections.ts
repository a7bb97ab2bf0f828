import type { FastifyInstance } from 'fastify';
import type { ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import type { Stopping } from './stopping.js';

/** A connection that has read nothing of what waits for it for this long is ended, in milliseconds (contract 14.45). */
const STALLED_AFTER_MS = 30_000;

/**
 * Requests of one connection that are under way (contract 14.46): Node hands over all that one packet holds, however
 * many answers wait.
 */
const MAX_PIPELINED = 32;

/**
 * How long a stop waits for a request that still arrives, or for an answer that is still being read, in milliseconds.
 */
const PATIENCE_MS = 2_000;

interface Connection {
  /** The responses that are not over, the one that is being written first. */
  readonly responses: Set<ServerResponse>;
  /** Bytes that the system has taken, and bytes that it has not taken of the last piece, when something last moved. */
  takenBytes: number;
  queuedBytes: number;
  movedAtMs: number;
}

/** The connections of the HTTP server, and the response that is under way on each: what bounds and ends them. */
export class ServerConnections {
  private readonly open = new Map<Socket, Connection>();

  /** The response that the connection waits for; null where none is under way. */
  responseOf(socket: Socket): ServerResponse | null {
    const [response = null] = this.open.get(socket)?.responses ?? [];
    return response;
  }

  /** Must be called before the first request. */
  watch(fastify: FastifyInstance): void {
    const { server } = fastify;
    server.on('connection', (socket: Socket) => {
      this.open.set(socket, {
        responses: new Set(),
        ...{ takenBytes: 0, queuedBytes: 0, movedAtMs: Date.now() },
      });
      socket.once('close', () => this.open.delete(socket));
    });
    // Before Fastify answers.
    server.prependListener('request', ({ socket }, response) => {
      const responses = this.open.get(socket)?.responses;
      if (responses === undefined) return;
      responses.add(response);
      response.once('close', () => responses.delete(response));
    });
  }

  /**
   * Bounds what connections can hold: at most `maxConnections` of them; one that does not read what it asked for is
   * ended after 30 s; one that asks for more than 32 answers without waiting for any is ended at once, before they are
   * made.
   */
  limit(fastify: FastifyInstance, limits: { maxConnections: number; stalledAfterMs?: number }): void {
    const { maxConnections, stalledAfterMs = STALLED_AFTER_MS } = limits;
    fastify.server.maxConnections = maxConnections;
    fastify.addHook('onRequest', ({ raw: { socket } }, reply, done) => {
      // Without a server there is no socket.
      if ((this.open.get(socket)?.responses.size ?? 0) > MAX_PIPELINED) socket.destroy();
      // Node still hands over what came before the end: nobody would read the answer.
      if (socket.destroyed) reply.hijack();
      else done();
    });
    const sweep = setInterval(() => {
      const nowMs = Date.now();
      for (const [socket, connection] of this.open)
        if (isStalled(socket, connection, nowMs, stalledAfterMs)) socket.destroy();
    }, stalledAfterMs / 10);
    sweep.unref();
    fastify.addHook('onClose', (_instance, done) => {
      clearInterval(sweep);
      done();
    });
  }

  /**
   * Ends connections in the order of contract 8.32 and 8.33. From the beginning of a stop, answers carry
   * `Connection: close`. When the listener is closed, idle connections are closed, too.
   *
   * A stop waits for the requests that are being handled, and for nothing else. Node waits for every connection that is
   * not idle, and its time-outs no longer run; it counts a connection as busy that has sent nothing yet, or half a
   * request. One connection that a browser opened in advance would keep the service from stopping.
   */
  closeWith(stopping: Stopping, fastify: FastifyInstance): void {
    const { server } = fastify;
    stopping.onBegin(() => {
      for (const { responses } of this.open.values())
        for (const response of responses) response.shouldKeepAlive = false;
    });
    fastify.addHook('onRequest', (_request, reply, done) => {
      if (stopping.isStopping) reply.raw.shouldKeepAlive = false;
      done();
    });
    fastify.addHook('preClose', (done) => {
      stopping.begin();
      whenNotListening(server, () => this.closeIdle());
      const deadline = setTimeout(() => this.endUnlessWorkedOn(), PATIENCE_MS);
      server.once('close', () => clearTimeout(deadline));
      done();
    });
  }

  private closeIdle(): void {
    for (const socket of this.open.keys()) {
      const response = this.responseOf(socket);
      if (response === null) {
        socket.destroySoon();
        continue;
      }
      // Its client may mean to send another request.
      response.once('close', () => socket.destroySoon());
      if (isEventStream(response)) response.end();
    }
  }

  private endUnlessWorkedOn(): void {
    for (const socket of this.open.keys()) {
      const response = this.responseOf(socket);
      // The request is whole, and its answer has not begun.
      if (response?.req.complete === true && !response.headersSent) continue;
      socket.destroy();
    }
  }
}

function whenNotListening(server: Server, act: () => void): void {
  if (server.listening) setImmediate(() => whenNotListening(server, act));
  else act();
}

/** An event stream would go on for ever. */
function isEventStream(response: ServerResponse): boolean {
  return String(response.getHeader('content-type')).startsWith('text/event-stream');
}

function isStalled(socket: Socket, connection: Connection, nowMs: number, stalledAfterMs: number): boolean {
  const queuedBytes = writeQueueSizeOf(socket);
  const takenBytes = socket.bytesWritten - socket.writableLength;
  const waits = queuedBytes > 0 || socket.writableLength > 0;
  if (!waits || takenBytes !== connection.takenBytes || queuedBytes < connection.queuedBytes) {
    Object.assign(connection, { takenBytes, queuedBytes, movedAtMs: nowMs });
    return false;
  }
  connection.queuedBytes = queuedBytes;
  return nowMs - connection.movedAtMs >= stalledAfterMs;
}

/** Bytes of the piece that is being written which the system has not taken. Node has no public word for it. */
function writeQueueSizeOf(
  socket: Socket & { readonly _handle?: { writeQueueSize?: number } | null },
): number {
  return socket._handle?.writeQueueSize ?? 0;
}
