import { Logger } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { DomainError } from '../../../kernel/domain-error.js';
import { randomUUID } from 'node:crypto';
import { sendProblem } from '../problems/problem.filter.js';
import { headersTooLarge, requestInvalid, requestTimeout } from '../problems/http.problems.js';
import { PROBLEM_CONTENT_TYPE, problemOf, titleOf } from '../problems/problem.js';

/** How long what a client still sends is thrown away, in milliseconds: closing at once would reset the answer, too. */
const LINGER_MS = 1_000;

const logger = new Logger('MalformedRequest');
const answered = new WeakSet<Socket>();

/**
 * Fastify's `clientErrorHandler`: what is not HTTP, has too large a head or does not arrive in time never becomes a
 * request, and is answered with problem details all the same (contract 1.33). The connection ends with it, because
 * nobody knows where the next request would begin.
 *
 * @param response the one that is under way on the connection
 */
export function answerMalformedRequest(
  error: NodeJS.ErrnoException,
  socket: Socket,
  response: ServerResponse | null,
): void {
  if (answered.has(socket)) return;
  const fault = faultOf(error);
  if (fault === null || !socket.writable || response?.headersSent === true) {
    socket.destroy();
    return;
  }
  answered.add(socket);
  // The request before was whole: it gets its own answer first, or its client would take ours for it.
  if (response?.req.complete === true) response.once('close', () => answer(fault, socket));
  else answer(fault, socket);
}

/**
 * Two refusals of Node that would go out without a body: a request without `Host` is answered with problem details,
 * and an unknown `Expect` is passed over, as RFC 9110 §10.1.1 allows. Needs the server option `requireHostHeader:
 * false`.
 */
export function registerMalformedRequests(fastify: FastifyInstance): void {
  const { server } = fastify;
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  fastify.addHook('onRequest', (request, reply, done) => {
    const { headers, httpVersion } = request.raw;
    const isHostRight = headers.host === undefined ? httpVersion !== '1.1' : countHosts(request.raw) === 1;
    if (isHostRight) return done();
    void reply.header('Connection', 'close');
    const detail = `The request has ${headers.host === undefined ? 'no Host header' : 'several Host headers'}.`;
    sendProblem(request, reply, requestInvalid.saying(detail));
  });
}

/** Node keeps the first one, and a proxy in front may have gone by another (contract 14.7). */
function countHosts({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]!.length === 4 && rawHeaders[index]!.toLowerCase() === 'host') count += 1;
  return count;
}

/** Null for a connection that broke: there is nobody to answer. */
function faultOf({ code = '' }: NodeJS.ErrnoException): DomainError | null {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTimeout();
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge();
  return code.startsWith('HPE_') ? requestInvalid.saying('This is not a valid HTTP request.') : null;
}

function answer(fault: DomainError, socket: Socket): void {
  if (!socket.writable) return;
  const requestId = randomUUID();
  // There may have been no address; the occurrence still has a name.
  const body = JSON.stringify(problemOf(fault, `urn:uuid:${requestId}`, requestId));
  const head = [
    `HTTP/1.1 ${fault.status} ${titleOf(fault.status)}`,
    `Content-Type: ${PROBLEM_CONTENT_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    `Date: ${new Date().toUTCString()}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ].join('\r\n');
  logger.debug(`Answered ${fault.status} ${fault.code} to what is no request (${requestId}).`);
  socket.on('error', () => socket.destroy());
  socket.end(`${head}\r\n\r\n${body}`);
  const deadline = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(deadline));
}
