import type { FastifyInstance } from 'fastify';
import type { Socket } from 'node:net';

/** A connection that has read nothing of what waits for it for this long is ended, in milliseconds (contract 14.45). */
const STALLED_AFTER_MS = 30_000;

/**
 * Requests of one connection that are under way: Node hands over all that one packet holds, however many answers
 * wait.
 */
const MAX_PIPELINED = 32;

/** The fields of Node's HTTP connections beyond the declared ones. */
type ServedSocket = Socket & { readonly _handle?: { readonly writeQueueSize?: number } | null };

interface Watched {
  /** Requests whose answer is not over. */
  underWay: number;
  /** Bytes that the system has taken, and bytes that it has not taken of the last piece, when something last moved. */
  takenBytes: number;
  queuedBytes: number;
  movedAtMs: number;
}

/**
 * Bounds what connections can hold: at most `maxConnections` of them; one that does not read what it asked for is
 * ended after 30 s; one that asks for more than 32 answers without waiting for any is ended at once, before they are
 * made.
 */
export function registerConnectionLimits(
  fastify: FastifyInstance,
  limits: { maxConnections: number; stalledAfterMs?: number },
): void {
  const { maxConnections, stalledAfterMs = STALLED_AFTER_MS } = limits;
  const { server } = fastify;
  const watched = new Map<ServedSocket, Watched>();
  server.maxConnections = maxConnections;
  server.on('connection', (socket: ServedSocket) => {
    watched.set(socket, { underWay: 0, takenBytes: 0, queuedBytes: 0, movedAtMs: Date.now() });
    socket.once('close', () => watched.delete(socket));
  });
  fastify.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    const state = watched.get(socket);
    if (state === undefined || socket.destroyed) {
      // Ended while Node still hands over what came before: nobody would read the answer. Without a server there is
      // no socket.
      if (socket.destroyed) reply.hijack();
      else done();
      return;
    }
    state.underWay += 1;
    if (state.underWay <= MAX_PIPELINED) return done();
    socket.destroy();
    reply.hijack();
  });
  fastify.addHook('onResponse', (request, _reply, done) => {
    const state = watched.get(request.raw.socket);
    if (state !== undefined) state.underWay -= 1;
    done();
  });
  const sweep = setInterval(() => {
    const nowMs = Date.now();
    for (const [socket, state] of watched)
      if (isStalled(socket, state, nowMs, stalledAfterMs)) socket.destroy();
  }, stalledAfterMs / 10);
  sweep.unref();
  fastify.addHook('onClose', (_instance, done) => {
    clearInterval(sweep);
    done();
  });
}

function isStalled(socket: ServedSocket, state: Watched, nowMs: number, stalledAfterMs: number): boolean {
  const queuedBytes = socket._handle?.writeQueueSize ?? 0;
  const takenBytes = socket.bytesWritten - socket.writableLength;
  const waits = queuedBytes > 0 || socket.writableLength > 0;
  if (!waits || takenBytes !== state.takenBytes || queuedBytes < state.queuedBytes) {
    Object.assign(state, { takenBytes, queuedBytes, movedAtMs: nowMs });
    return false;
  }
  state.queuedBytes = queuedBytes;
  return nowMs - state.movedAtMs >= stalledAfterMs;
}
