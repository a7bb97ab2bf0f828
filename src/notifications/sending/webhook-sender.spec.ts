import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import {
  UndiciWebhookSender,
  type UndiciWebhookSenderOptions,
  type WebhookOutcome,
} from './webhook-sender.js';

/*
 * Rules: contract 7.15 to 7.17, 7.23, 7.40, 7.62.
 */

/** Short, for receivers that let it run out; nothing is asserted about time but that the exchange ends. */
const SHORT_MS = 300;
/** Long, for receivers that answer; never reached. */
const LONG_MS = 30_000;
const BODY = Buffer.from('{"event":"payment.verified","note":"জমা"}', 'utf8');
const HEADERS = { 'Content-Type': 'application/json', 'X-Service-Signature': 'ab12', 'webhook-id': '1' };

const openings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of openings.splice(0)) await close();
});

interface Receiver {
  readonly port: number;
  readonly url: string;
  readonly sockets: Socket[];
}

async function listening(server: Server, port = 0): Promise<Receiver> {
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => undefined);
    sockets.push(socket);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  openings.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  const address = server.address() as AddressInfo;
  return { port: address.port, url: `http://127.0.0.1:${address.port}/hook`, sockets };
}

/** Speaks to each connection as soon as the first bytes of a request are there. */
function rawReceiver(speak: (socket: Socket) => void): Promise<Receiver> {
  return listening(createTcpServer((socket) => socket.once('data', () => speak(socket)).resume()));
}

function httpReceiver(answer: (request: IncomingMessage, response: ServerResponse, body: Buffer) => void) {
  const server = createHttpServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(request, response, Buffer.concat(chunks)));
  });
  return listening(server);
}

/** Writes the text again and again until the connection is closed. */
function repeat(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 10);
  socket.on('close', () => clearInterval(timer));
}

function newSender(options: Partial<UndiciWebhookSenderOptions> = {}): UndiciWebhookSender {
  const sender = new UndiciWebhookSender({ allowPrivate: true, ...options });
  openings.unshift(() => sender.close());
  return sender;
}

async function post(sender: UndiciWebhookSender, url: string, timeoutMs = LONG_MS): Promise<WebhookOutcome> {
  const outcome = await sender.send({ url, headers: HEADERS, body: BODY, timeoutMs });
  // undici gives a connection back on the next turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  return outcome;
}

async function until(condition: () => boolean): Promise<void> {
  for (const deadlineMs = performance.now() + 20_000; !condition();) {
    if (performance.now() > deadlineMs) throw new Error('The condition was not met in time');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function closed(socket: Socket | undefined): Promise<void> {
  if (socket === undefined || socket.closed) return;
  // Not `once` of node:events, which rejects when the client resets the connection.
  await new Promise((resolve) => socket.once('close', resolve));
}

describe('UndiciWebhookSender and a receiver that answers', () => {
  it('sends exactly these bytes and headers by POST, and reports the answer', async () => {
    const seen: { method: string; url: string; headers: IncomingMessage['headers']; body: Buffer }[] = [];
    const receiver = await httpReceiver(({ method = '', url = '', headers }, response, body) => {
      seen.push({ method, url, headers, body });
      response.writeHead(202).end('thanks\n');
    });
    const outcome = await post(newSender(), `${receiver.url}/a%20b?store=1#part`);
    expect(outcome).toEqual({
      ok: true,
      responseStatus: 202,
      durationMs: expect.any(Number) as number,
      error: null,
      responseExcerpt: 'thanks',
      retryAfter: null,
    });
    expect(Number.isInteger(outcome.durationMs)).toBe(true);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ method: 'POST', url: '/hook/a%20b?store=1', body: BODY });
    expect(seen[0]?.headers).toEqual({
      host: `127.0.0.1:${receiver.port}`,
      connection: 'keep-alive',
      'content-length': String(BODY.length),
      'content-type': 'application/json',
      'x-service-signature': 'ab12',
      'webhook-id': '1',
    });
  });

  it.each([200, 201, 204, 299])('takes %i for success', async (status) => {
    const receiver = await httpReceiver((_request, response) => response.writeHead(status).end());
    expect(await post(newSender(), receiver.url)).toMatchObject({
      ok: true,
      responseStatus: status,
      error: null,
      responseExcerpt: null,
    });
  });

  it.each([400, 404, 410, 429, 500, 503, 999])(
    'takes %i for a failure and keeps what it says',
    async (status) => {
      const receiver = await httpReceiver((_request, response) =>
        response.writeHead(status, { 'Retry-After': '120' }).end('no\u0000t\u0007now'),
      );
      expect(await post(newSender(), receiver.url)).toMatchObject({
        ok: false,
        responseStatus: status,
        error: 'http_status',
        responseExcerpt: 'no t now',
        retryAfter: '120',
      });
    },
  );

  it.each([300, 301, 302, 303, 304, 307, 308])('does not follow a redirect (%i)', async (status) => {
    const elsewhere = await httpReceiver((_request, response) => response.end());
    const receiver = await httpReceiver((_request, response) =>
      response.writeHead(status, { Location: elsewhere.url }).end(),
    );
    const outcome = await post(newSender(), receiver.url);
    expect(outcome).toMatchObject({ ok: false, responseStatus: status, error: 'redirect' });
    expect(elsewhere.sockets).toHaveLength(0);
  });

  it('waits through interim responses', async () => {
    const receiver = await rawReceiver((socket) =>
      socket.write(
        'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n' +
          'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
      ),
    );
    expect(await post(newSender(), receiver.url)).toMatchObject({
      ok: true,
      responseStatus: 200,
      responseExcerpt: 'ok',
    });
  });

  it.each([1, 7, 30, 1_000])('waits through 100 Continue that comes in pieces of %i bytes', async (size) => {
    const response = `HTTP/1.1 200 OK\r\nContent-Length: 25\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n`;
    const text = `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\nX-A: b\r\n\r\n${response}`;
    const server = createTcpServer((socket) =>
      socket.setNoDelay(true).on('data', () => {
        const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
        const next = (): boolean =>
          pieces.length > 0 && socket.write(pieces.shift() ?? '', () => setImmediate(next));
        next();
      }),
    );
    const receiver = await listening(server);
    const sender = newSender();
    for (let count = 0; count < 3; count += 1) {
      const outcome = await post(sender, receiver.url);
      expect(outcome).toMatchObject({
        ok: true,
        responseStatus: 200,
        responseExcerpt: 'HTTP/1.1 100 Continue',
      });
    }
    expect(receiver.sockets).toHaveLength(1);
  });

  it('shows nothing of a compressed body', async () => {
    const receiver = await httpReceiver((_request, response) =>
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('a'.repeat(10_000_000))),
    );
    expect(await post(newSender(), receiver.url)).toMatchObject({ ok: true, responseExcerpt: null });
  });

  it.each(['x'.repeat(65), 'später'])('drops the Retry-After %j', async (value) => {
    const receiver = await httpReceiver((_request, response) =>
      response.writeHead(503, { 'Retry-After': value }).end(),
    );
    expect(await post(newSender(), receiver.url)).toMatchObject({ responseStatus: 503, retryAfter: null });
  });

  it('rejects a malformed header, which is nobody else’s fault, and stays usable', async () => {
    const receiver = await httpReceiver((_request, response) => response.end());
    const sender = newSender();
    const headers = { 'X-Broken': 'a\r\nX-Injected: b' };
    await expect(
      sender.send({ url: receiver.url, headers, body: BODY, timeoutMs: LONG_MS }),
    ).rejects.toThrow();
    expect(await post(sender, receiver.url)).toMatchObject({ ok: true });
    expect(sender.usage.connections).toBe(1);
  });
});

describe('UndiciWebhookSender and a receiver that misbehaves', () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n';
  const noStatus = { ok: false, responseStatus: null, responseExcerpt: null, retryAfter: null };

  const cases: [string, (socket: Socket) => void, Partial<WebhookOutcome>][] = [
    ['never answers', () => undefined, { ...noStatus, error: 'timeout' }],
    ['drips a status line', (socket) => repeat(socket, 'H'), { ...noStatus, error: 'invalid_response' }],
    [
      'drips headers',
      (socket) => {
        socket.write(head);
        repeat(socket, 'X-Drip: 1\r\n');
      },
      { ...noStatus, error: 'timeout' },
    ],
    [
      'answers 103 without end',
      (socket) => repeat(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'),
      { ...noStatus, error: 'timeout' },
    ],
    [
      'answers 100 without end',
      (socket) => repeat(socket, 'HTTP/1.1 100 Continue\r\n\r\n'),
      { ...noStatus, error: 'timeout' },
    ],
    [
      'drips a body after 200',
      (socket) => {
        socket.write(`${head}Content-Length: 60000\r\n\r\nbegin`);
        repeat(socket, '.');
      },
      {
        ok: true,
        responseStatus: 200,
        error: null,
        responseExcerpt: expect.stringMatching(/^begin\.*$/) as string,
      },
    ],
    [
      'drips chunks after 200',
      (socket) => {
        socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
        repeat(socket, '1\r\n.\r\n');
      },
      { ok: true, responseStatus: 200, error: null },
    ],
    [
      'hangs after 200',
      (socket) => socket.write(`${head}Content-Length: 5\r\n\r\n`),
      { ok: true, responseStatus: 200, error: null, responseExcerpt: null },
    ],
    [
      'hangs after 500',
      (socket) => socket.write('HTTP/1.1 500 Oops\r\nContent-Length: 5\r\n\r\noo'),
      { ok: false, responseStatus: 500, error: 'http_status', responseExcerpt: 'oo' },
    ],
    [
      'resets after 200',
      (socket) => socket.write(`${head}Content-Length: 5\r\n\r\nok`, () => socket.resetAndDestroy()),
      { ok: true, responseStatus: 200, error: null },
    ],
    [
      'closes in the middle of the body',
      (socket) => socket.end(`${head}Content-Length: 5\r\n\r\nok`),
      { ok: true, responseStatus: 200, error: null, responseExcerpt: 'ok' },
    ],
    [
      'sends a broken chunk after 200',
      (socket) => socket.write(`${head}Transfer-Encoding: chunked\r\n\r\nZZZ\r\n`),
      { ok: true, responseStatus: 200, error: null },
    ],
    ['resets', (socket) => socket.resetAndDestroy(), { ...noStatus, error: 'connection_failed' }],
    ['closes without an answer', (socket) => socket.end(), { ...noStatus, error: 'connection_failed' }],
    ['closes within the head', (socket) => socket.end(head), { ...noStatus, error: 'connection_failed' }],
    [
      'speaks another protocol',
      (socket) => socket.write('220 mail.test ESMTP\r\n'),
      { ...noStatus, error: 'invalid_response' },
    ],
    [
      'sends headers without end',
      (socket) => socket.write(head + 'X-Long: 0123456789\r\n'.repeat(50_000)),
      { ...noStatus, error: 'invalid_response' },
    ],
    [
      'sends one header without end',
      (socket) => socket.write(`${head}X-Long: ${'a'.repeat(1_000_000)}`),
      { ...noStatus, error: 'invalid_response' },
    ],
    [
      'answers an impossible status',
      (socket) => socket.write('HTTP/1.1 000 None\r\nContent-Length: 0\r\n\r\n'),
      { ...noStatus, error: 'invalid_response' },
    ],
    [
      'upgrades unasked',
      (socket) =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
      { ...noStatus, error: 'connection_failed' },
    ],
  ];

  it.each(cases)('%s', async (_name, speak, expected) => {
    const receiver = await rawReceiver(speak);
    const sender = newSender();
    expect(await post(sender, receiver.url, SHORT_MS)).toMatchObject(expected);
    expect(receiver.sockets).toHaveLength(1);
    await closed(receiver.sockets[0]);
    await until(() => sender.usage.connections === 0);
    expect(sender.usage).toEqual({ running: 0, connections: 0 });
  });

  it.each([200, 500])('cuts a body of 5 MB after %i', async (status) => {
    const receiver = await rawReceiver((socket) => {
      socket.write(`HTTP/1.1 ${status} Long\r\nContent-Length: 5000000\r\n\r\n`);
      socket.write(Buffer.alloc(5_000_000, 'a'));
    });
    const outcome = await post(newSender(), receiver.url);
    expect(outcome).toMatchObject({
      ok: status === 200,
      responseStatus: status,
      responseExcerpt: 'a'.repeat(1024),
    });
    await closed(receiver.sockets[0]);
    expect(receiver.sockets).toHaveLength(1);
  });

  it('keeps the connection of a body of exactly 64 KiB', async () => {
    const receiver = await httpReceiver((_request, response) => response.end(Buffer.alloc(65_536, 'a')));
    const sender = newSender();
    await post(sender, receiver.url);
    await post(sender, receiver.url);
    expect(receiver.sockets).toHaveLength(1);
  });

  it('reports a port where nobody listens', async () => {
    const receiver = await httpReceiver(() => undefined);
    await openings.pop()?.();
    expect(await post(newSender(), receiver.url)).toMatchObject({ ...noStatus, error: 'connection_failed' });
  });

  it('does not take what follows a response for the next response', async () => {
    let requests = 0;
    const server = createTcpServer((socket) =>
      socket.on('data', () => {
        requests += 1;
        socket.write(
          'HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
        );
      }),
    );
    const receiver = await listening(server);
    const sender = newSender();
    expect(await post(sender, receiver.url)).toMatchObject({ responseStatus: 500 });
    expect(await post(sender, receiver.url)).toMatchObject({ responseStatus: 500 });
    expect(requests).toBe(2);
  });
});

describe('UndiciWebhookSender and names', () => {
  it('counts a look-up that never ends towards the deadline', async () => {
    const sender = newSender({ lookup: () => new Promise(() => undefined), connectTimeoutMs: SHORT_MS });
    expect(await post(sender, 'http://shop.test/', SHORT_MS)).toMatchObject({
      error: 'timeout',
      responseStatus: null,
    });
    await until(() => sender.usage.connections === 0);
  });

  it.each([
    ['a look-up that fails', () => Promise.reject(new Error('ENOTFOUND'))],
    ['a name without addresses', () => Promise.resolve([])],
  ])('reports %s', async (_name, lookup) => {
    expect(await post(newSender({ lookup }), 'http://shop.test/')).toMatchObject({ error: 'dns_failed' });
  });

  it('sends the name as the host, with its port', async () => {
    let host: string | undefined;
    const receiver = await httpReceiver((request, response) => {
      host = request.headers.host;
      response.end();
    });
    const sender = newSender({ lookup: async () => [{ address: '127.0.0.1', family: 4 }] });
    expect(await post(sender, `http://Shop.test.:${receiver.port}/`)).toMatchObject({ ok: true });
    expect(host).toBe(`shop.test:${receiver.port}`);
  });

  it('knows localhost without any name server', async () => {
    const receiver = await httpReceiver((_request, response) => response.end());
    expect(await post(newSender(), `http://localhost:${receiver.port}/`)).toMatchObject({ ok: true });
  });
});

/** Goal: no connection to what is refused. Method: a canary on a port that URLs may name, which counts connections. */
describe('UndiciWebhookSender and refused addresses', () => {
  async function canaryOnAllowedPort(): Promise<Receiver> {
    let reason: unknown;
    for (const port of [8443, 443, 80]) {
      try {
        return await listening(
          createHttpServer((_request, response) => response.end()),
          port,
        );
      } catch (error) {
        reason = error;
      }
    }
    throw new Error('None of the ports 8443, 443 and 80 is free on loopback', { cause: reason });
  }

  it('never connects, however the address is spelt or resolved', async () => {
    const canary = await canaryOnAllowedPort();
    const spellings = [
      '127.0.0.1',
      '127.1',
      '0x7f.1',
      '2130706433',
      '0177.0.0.1',
      '127.0.0.1.',
      '１２７.0.0.1',
      '0',
    ];
    const embeddings = [
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[::127.0.0.1]',
      '[64:ff9b::127.0.0.1]',
      '[2002:7f00:1::]',
    ];
    const names = ['localhost', 'LOCALHOST.', 'a.localhost', 'rebind.test'];
    const resolutions = [
      '127.0.0.1',
      '::1',
      '::ffff:127.0.0.1',
      '0.0.0.0',
      '::',
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
    ];
    const resolveTo = (...addresses: string[]) =>
      newSender({
        allowPrivate: false,
        lookup: async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      });
    for (const scheme of ['http', 'https']) {
      for (const host of [...spellings, ...embeddings, ...names]) {
        const outcome = await post(resolveTo('127.0.0.1'), `${scheme}://${host}:${canary.port}/`);
        expect([host, outcome.error]).toEqual([host, 'address_refused']);
      }
      for (const address of resolutions) {
        // A good address beside it does not help; and it is not tried either.
        for (const addresses of [[address], ['8.8.8.8', address], [address, '2606:4700::1111']]) {
          const outcome = await post(resolveTo(...addresses), `${scheme}://rebind.test:${canary.port}/`);
          expect([addresses, outcome.error]).toEqual([addresses, 'address_refused']);
        }
      }
    }
    expect(canary.sockets).toHaveLength(0);
    expect(await post(newSender(), `http://127.1:${canary.port}/`)).toMatchObject({ ok: true });
    expect(canary.sockets).toHaveLength(1);
  });

  it.each([
    '169.254.169.254',
    '::ffff:169.254.169.254',
    'fd00:ec2::254',
    '64:ff9b::a9fe:a9fe',
    '168.63.129.16',
  ])('refuses the metadata service %s even where private addresses are allowed', async (address) => {
    const sender = newSender({ lookup: async () => [{ address, family: address.includes(':') ? 6 : 4 }] });
    expect(await post(sender, 'http://shop.test/')).toMatchObject({
      error: 'address_refused',
      responseStatus: null,
    });
    const literal = address.includes(':') ? `[${address}]` : address;
    expect(await post(sender, `http://${literal}/`)).toMatchObject({ error: 'address_refused' });
  });

  it.each(['nonsense', 'ftp://127.0.0.1/', 'http://user@127.0.0.1/'])('refuses the URL %s', async (url) => {
    expect(await post(newSender(), url)).toMatchObject({ ok: false, error: 'address_refused' });
  });
});

describe('UndiciWebhookSender and its connections', () => {
  it('reuses a connection, and opens a new one when the receiver has closed it', async () => {
    const receiver = await httpReceiver((_request, response) => response.end('ok'));
    const sender = newSender();
    for (let count = 0; count < 5; count += 1)
      expect(await post(sender, receiver.url)).toMatchObject({ ok: true });
    expect(receiver.sockets).toHaveLength(1);
    receiver.sockets[0]?.destroy();
    await until(() => sender.usage.connections === 0);
    expect(await post(sender, receiver.url)).toMatchObject({ ok: true });
    expect(receiver.sockets).toHaveLength(2);
  });

  it('copes with a receiver that closes after every answer', async () => {
    const receiver = await httpReceiver((_request, response) =>
      response.writeHead(200, { Connection: 'close' }).end(),
    );
    const sender = newSender();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => post(sender, receiver.url)));
    for (let count = 0; count < 5; count += 1) outcomes.push(await post(sender, receiver.url));
    expect(outcomes.every(({ ok }) => ok)).toBe(true);
    expect(receiver.sockets).toHaveLength(25);
    await until(() => sender.usage.connections === 0);
  });

  it('closes idle connections', async () => {
    const receiver = await httpReceiver((_request, response) => response.end());
    const sender = newSender({ idleTimeoutMs: 50 });
    await post(sender, receiver.url);
    await closed(receiver.sockets[0]);
    await until(() => sender.usage.connections === 0);
  });

  it('has at most so many exchanges at once, and says so', async () => {
    const receiver = await rawReceiver(() => undefined);
    const sender = newSender({ maxRunning: 3 });
    const running = Array.from({ length: 3 }, () => post(sender, receiver.url));
    await until(() => receiver.sockets.length === 3);
    expect(await post(sender, receiver.url)).toMatchObject({ ok: false, error: 'overloaded' });
    expect(sender.usage).toEqual({ running: 3, connections: 3 });
    await sender.close();
    for (const outcome of await Promise.all(running)) expect(outcome).toMatchObject({ error: 'aborted' });
    expect(sender.usage).toEqual({ running: 0, connections: 0 });
  });

  it('keeps at most as many sockets open afterwards, to however many origins', async () => {
    const receivers = await Promise.all(
      Array.from({ length: 6 }, () => httpReceiver((_request, response) => response.end())),
    );
    const sender = newSender({ maxRunning: 2 });
    for (const { url } of receivers) expect(await post(sender, url)).toMatchObject({ ok: true });
    await Promise.all(receivers.slice(3).map(({ sockets }) => closed(sockets[0])));
    await until(() => sender.usage.connections <= 3);
    // Those that are kept are used again.
    expect(await post(sender, receivers[0]!.url)).toMatchObject({ ok: true });
    expect(receivers[0]!.sockets).toHaveLength(1);
  });

  it('replaces a connection that is too old', async () => {
    const receiver = await httpReceiver((_request, response) => response.end());
    const sender = newSender({ maxAgeMs: 1 });
    for (let count = 0; count < 3; count += 1) {
      expect(await post(sender, receiver.url)).toMatchObject({ ok: true });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(receiver.sockets).toHaveLength(3);
    await until(() => sender.usage.connections <= 1);
  });

  it('posts nothing late: a connection that is there after the deadline carries no request', async () => {
    let resolve: (() => void) | undefined;
    const lookup = async () => {
      await new Promise<void>((done) => (resolve = done));
      return [{ address: '127.0.0.1', family: 4 }];
    };
    let requests = 0;
    const receiver = await httpReceiver((_request, response) => {
      requests += 1;
      response.end();
    });
    const sender = newSender({ lookup });
    const url = `http://shop.test:${receiver.port}/`;
    expect(await post(sender, url, SHORT_MS)).toMatchObject({ error: 'timeout' });
    resolve?.();
    await until(() => receiver.sockets.length === 1);
    expect(await post(sender, url)).toMatchObject({ ok: true });
    expect(requests).toBe(1);
  });

  it('ends everything when it is closed', async () => {
    const receiver = await rawReceiver(() => undefined);
    const half = await rawReceiver((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nok'),
    );
    const sender = newSender();
    const running = [post(sender, receiver.url), post(sender, receiver.url), post(sender, half.url)];
    await until(() => receiver.sockets.length === 2 && (half.sockets[0]?.bytesWritten ?? 0) > 0);
    const unanswered = post(sender, 'http://127.0.0.1:9/');
    await sender.close();
    const outcomes = await Promise.all([...running.slice(0, 2), unanswered]);
    expect(outcomes.map(({ error }) => error)).toEqual(['aborted', 'aborted', 'aborted']);
    expect((await running[2])?.durationMs).toEqual(expect.any(Number));
    expect(sender.usage).toEqual({ running: 0, connections: 0 });
    expect(await post(sender, receiver.url)).toMatchObject({ ok: false, error: 'aborted' });
    await sender.close();
  });
});

describe('UndiciWebhookSender and TLS', () => {
  const lookup = async () => [{ address: '127.0.0.1', family: 4 }];

  async function tlsReceiver(
    name: string,
  ): Promise<Receiver & { certificate: string; protocols: unknown[] }> {
    const { certificate, key } = selfSigned(name);
    const protocols: unknown[] = [];
    const server = createTlsServer(
      { cert: certificate, key, ALPNProtocols: ['h2', 'http/1.1'] },
      (socket) => {
        protocols.push(socket.alpnProtocol);
        socket.on('error', () => undefined);
        socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecure'));
      },
    );
    return { ...(await listening(server)), certificate, protocols };
  }

  it('delivers over a certificate it can trust, with keep-alive and HTTP/1.1', async () => {
    const receiver = await tlsReceiver('shop.test');
    const sender = newSender({ lookup, certificateAuthorities: receiver.certificate });
    for (let count = 0; count < 3; count += 1) {
      const outcome = await post(sender, `https://shop.test:${receiver.port}/`);
      expect(outcome).toMatchObject({ ok: true, responseExcerpt: 'secure' });
    }
    expect(receiver.protocols).toEqual(['http/1.1']);
  });

  it('refuses a certificate nobody vouches for, whatever the environment says', async () => {
    const receiver = await tlsReceiver('shop.test');
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    try {
      const outcome = await post(newSender({ lookup }), `https://shop.test:${receiver.port}/`);
      expect(outcome).toMatchObject({ ok: false, responseStatus: null, error: 'tls_failed' });
    } finally {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
    }
  });

  it.each(['https://other.test', 'https://127.0.0.1'])(
    'refuses a certificate that is not for %s',
    async (origin) => {
      const receiver = await tlsReceiver('shop.test');
      const sender = newSender({ lookup, certificateAuthorities: receiver.certificate });
      expect(await post(sender, `${origin}:${receiver.port}/`)).toMatchObject({ error: 'tls_failed' });
      await until(() => sender.usage.connections === 0);
    },
  );

  it('reports a receiver that does not speak TLS', async () => {
    const receiver = await rawReceiver((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const outcome = await post(newSender({ lookup }), `https://shop.test:${receiver.port}/`);
    expect(outcome).toMatchObject({ responseStatus: null, error: 'tls_failed' });
  });

  it('reports a receiver that closes during the handshake', async () => {
    const receiver = await rawReceiver((socket) => socket.end());
    const outcome = await post(newSender({ lookup }), `https://shop.test:${receiver.port}/`);
    expect(outcome).toMatchObject({ responseStatus: null, error: 'tls_failed' });
  });

  it('counts a handshake that never ends towards the deadline', async () => {
    const receiver = await rawReceiver(() => undefined);
    const sender = newSender({ lookup, connectTimeoutMs: 2 * SHORT_MS });
    expect(await post(sender, `https://shop.test:${receiver.port}/`, SHORT_MS)).toMatchObject({
      error: 'timeout',
    });
    // Given up with the connection's own time, whoever waits for it.
    await closed(receiver.sockets[0]);
    await until(() => sender.usage.connections === 0);
  });
});

/** A certificate for one DNS name (X.509 in DER, RFC 5280), because Node can sign but not issue. */
function selfSigned(name: string): { certificate: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const der = (tag: number, ...contents: (Buffer | string)[]): Buffer => {
    const content = Buffer.concat(
      contents.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)),
    );
    const length =
      content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff];
    return Buffer.concat([Buffer.from([tag, ...length]), content]);
  };
  const sequence = (...contents: Buffer[]): Buffer => der(0x30, ...contents);
  const identifier = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
  const ecdsaWithSha256 = sequence(identifier('2a8648ce3d040302'));
  const distinguishedName = sequence(der(0x31, sequence(identifier('550403'), der(0x0c, name))));
  const subjectAlternativeName = sequence(identifier('551d11'), der(0x04, sequence(der(0x82, name))));
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    distinguishedName,
    sequence(der(0x17, '200101000000Z'), der(0x17, '491231235959Z')),
    distinguishedName,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(subjectAlternativeName)),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', toBeSigned, privateKey));
  const base64 = sequence(toBeSigned, ecdsaWithSha256, signature).toString('base64');
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
