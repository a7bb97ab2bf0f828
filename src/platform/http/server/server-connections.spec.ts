import { fastify, type FastifyInstance } from 'fastify';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ServerConnections } from './server-connections.js';

/*
 * Rules: contract 14.45 to 14.47.
 *
 * Goal: what one connection can make the service hold is bounded: answers that it does not read, answers that it asks
 * for without waiting, and connections themselves (contract 14.45). Method: Fastify on loopback with short limits,
 * and sockets that do not read. What is waited for is the end of the connection.
 */

/** More than any system keeps for a reader that does not read. */
const LARGE = Buffer.alloc(64 * 1024 * 1024, 'x');

let server: FastifyInstance;
afterEach(() => server.close());

async function start(limits: {
  maxConnections?: number;
  stalledAfterMs?: number;
}): Promise<{ made: number }> {
  const answers = { made: 0 };
  server = fastify({ forceCloseConnections: true });
  const connections = new ServerConnections();
  connections.watch(server);
  connections.limit(server, { maxConnections: 100, ...limits });
  server.get('/large', () => {
    answers.made += 1;
    return LARGE;
  });
  server.get('/small', () => {
    answers.made += 1;
    return 'small';
  });
  await server.listen({ port: 0, host: '127.0.0.1' });
  return answers;
}

function open(): Socket {
  const { port } = server.server.address() as AddressInfo;
  return connect(port, '127.0.0.1').on('error', () => undefined);
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

async function ended(socket: Socket): Promise<void> {
  if (!socket.closed) await once(socket, 'close');
}

describe('a connection', () => {
  it('that does not read its answer is ended, and one that waits for nothing is not', async () => {
    await start({ stalledAfterMs: 300 });
    const idle = open();
    const stalled = open();
    stalled.write(get('/large'));
    const serverSide = await new Promise<Socket>((resolve) => {
      server.server.on('request', (request) => resolve(request.socket));
    });
    await ended(serverSide);
    stalled.destroy();
    idle.write(get('/small'));
    const [chunk] = (await once(idle, 'data')) as [Buffer];
    expect(chunk.toString()).toMatch(/^HTTP\/1\.1 200/);
    idle.destroy();
  });

  it('that reads, however little at a time, gets its answer to the end', async () => {
    await start({ stalledAfterMs: 300 });
    const slow = open();
    let bytes = 0;
    slow.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      slow.pause();
      setImmediate(() => slow.resume());
    });
    slow.write(get('/large').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    await ended(slow);
    expect(bytes).toBeGreaterThan(LARGE.length);
  });

  it('that asks for a thousand answers at once is ended before they are made', async () => {
    const answers = await start({});
    const greedy = open();
    greedy.resume();
    greedy.write(get('/small').repeat(1_000));
    await ended(greedy);
    expect(answers.made).toBeLessThanOrEqual(32);
  });

  it('may ask for several at once', async () => {
    await start({});
    const socket = open().setEncoding('utf8');
    let received = '';
    socket.on('data', (chunk) => (received += String(chunk)));
    const last = get('/small').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
    socket.write(get('/small').repeat(15) + last);
    await ended(socket);
    expect(received.match(/HTTP\/1\.1 200/g)).toHaveLength(16);
  });

  it('above the limit is not taken, and those below go on', async () => {
    await start({ maxConnections: 3 });
    const open3 = [open(), open(), open()];
    await Promise.all(open3.map((socket) => once(socket, 'connect')));
    for (const socket of open3) {
      socket.write(get('/small'));
      await once(socket, 'data');
    }
    const dropped = once(server.server, 'drop');
    const fourth = open();
    await dropped;
    await ended(fourth);
    for (const socket of open3) {
      socket.write(get('/small'));
      const [chunk] = (await once(socket, 'data')) as [Buffer];
      expect(chunk.toString()).toMatch(/^HTTP\/1\.1 200/);
      socket.destroy();
    }
  });
});
