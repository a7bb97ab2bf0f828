import type { Socket } from 'node:net';

const START = 'HTTP/1.1 100';
/** Where the status begins, and with what when the response is an interim one. */
const FIRST_DIGIT_AT = 9;
const INTERIM = '1'.charCodeAt(0);
const END_OF_HEAD = '\r\n\r\n';
const MAX_HEAD_BYTES = 16 * 1024;

/**
 * Makes a socket drop every `100 Continue` that precedes a response. A client must be able to read one it did not ask
 * for (RFC 9110 §15.2), but undici breaks the connection, and such a receiver could never be delivered to.
 *
 * Looks only at the bytes that come first after something was written, so a body is never touched. A `100` that follows
 * another interim response is left in, and so refused.
 */
export function skipContinue(socket: Socket): Socket {
  const push = socket.push.bind(socket);
  let held: Buffer = Buffer.alloc(0);
  let answeredBytesWritten = -1;

  socket.push = (chunk: Buffer | null, encoding?: BufferEncoding): boolean => {
    const isAnswered = socket.bytesWritten === answeredBytesWritten;
    if (chunk === null || isAnswered) {
      if (held.length > 0) push(held);
      held = Buffer.alloc(0);
      return push(chunk, encoding);
    }
    if (held.length === 0 && chunk.length >= START.length && chunk[FIRST_DIGIT_AT] !== INTERIM) {
      answeredBytesWritten = socket.bytesWritten;
      return push(chunk);
    }
    held = withoutContinue(held.length === 0 ? chunk : Buffer.concat([held, chunk]));
    if (mayBecomeContinue(held) && held.length <= MAX_HEAD_BYTES) return true;
    const rest = held;
    held = Buffer.alloc(0);
    answeredBytesWritten = socket.bytesWritten;
    return push(rest);
  };
  return socket;
}

function withoutContinue(bytes: Buffer): Buffer {
  let rest = bytes;
  while (mayBecomeContinue(rest)) {
    const end = rest.indexOf(END_OF_HEAD);
    if (end < 0) break;
    rest = rest.subarray(end + END_OF_HEAD.length);
  }
  return rest;
}

/** Nothing yet, a part of the status line, or a whole one with what follows. */
function mayBecomeContinue(bytes: Buffer): boolean {
  return START.startsWith(bytes.toString('latin1', 0, START.length));
}
