import type { Server } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openConnection } from '../../support/raw-connection.js';
import { startBuiltService } from '../../support/built-service.js';
import { eventually } from '../../support/eventually.js';
import { createStore, signIn, startTestApp, type TestApp } from '../../support/test-app.js';
import { createTestDatabase } from '../../support/test-database.js';

/*
 * Rules: contract 1.14, 1.25, 1.34, 1.36, 1.37.
 *
 * Goal: what never becomes a request is answered like everything else, with problem details and a request id, and
 * never spoils the answer of somebody whose request was whole. Method: bytes on a TCP socket.
 */

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Answers as they stand behind one another; a body is as long as its head says, and nothing may be left over. */
function answersIn(text: string): Answer[] {
  const answers: Answer[] = [];
  for (let rest = text; rest !== '';) {
    const [head = ''] = rest.split('\r\n\r\n', 1);
    const [line = '', ...lines] = head.split('\r\n');
    const headers = Object.fromEntries(
      lines.map((header) => [
        header.slice(0, header.indexOf(':')).toLowerCase(),
        header.slice(header.indexOf(':') + 1).trim(),
      ]),
    );
    const start = head.length + 4;
    const body = rest.slice(start, start + Number(headers['content-length']));
    answers.push({ status: Number(line.split(' ')[1]), headers, body });
    rest = rest.slice(start + body.length);
  }
  return answers;
}

const PROBLEM_KEYS = ['type', 'title', 'status', 'detail', 'instance', 'code', 'requestId'];

function expectProblem(answer: Answer | undefined, status: number, code: string): void {
  expect(answer?.status).toBe(status);
  expect(answer?.headers).toMatchObject({
    'content-type': 'application/problem+json; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'close',
  });
  const problem = JSON.parse(answer?.body ?? '') as Record<string, unknown>;
  expect(problem).toMatchObject({ type: `urn:joma:problem:${code}`, status, code });
  expect(Object.keys(problem)).toEqual(PROBLEM_KEYS);
  expect(problem['requestId']).toMatch(/^[0-9a-f-]{36}$/);
  expect(answer?.headers['x-request-id']).toBe(problem['requestId']);
}

const expectAlive = async () => expect((await app.http.get('/health/live')).status).toBe(200);

describe('what is no HTTP request', () => {
  it.each([
    ['a line of something else', 'nonsense\r\n\r\n'],
    ['a TLS greeting', Buffer.from('16030100f8010000f40303', 'hex')],
    ['an unknown version', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['a blank in the address', 'GET /a b HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a header without a name', 'GET / HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n'],
    ['a header without a colon', 'GET / HTTP/1.1\r\nHost: x\r\nnothing\r\n\r\n'],
    ['a header of two lines', 'GET / HTTP/1.1\r\nHost: x\r\nX: a\rb\r\n\r\n'],
    ['a negative length', 'POST /api/v1/payments HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'],
    [
      'two lengths',
      'POST /api/v1/payments HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'a broken chunk',
      'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    ],
    ['no Host', 'GET /health/live HTTP/1.1\r\n\r\n'],
  ])('(%s) is a 400 with problem details, and the connection ends', async (_what, bytes) => {
    const [answer, ...others] = answersIn(await openConnection(app.http.url, bytes).end);
    expect(others).toEqual([]);
    expectProblem(answer, 400, 'request.invalid');
    await expectAlive();
  });

  it('because its head is too large is a 431, also for a client that goes on sending', async () => {
    const head = 'GET /health/live HTTP/1.1\r\nHost: x\r\nX-Long: ';
    const [answer, ...others] = answersIn(
      await openConnection(app.http.url, head, Buffer.alloc(4 * 1024 * 1024, 'x')).end,
    );
    expect(others).toEqual([]);
    expectProblem(answer, 431, 'request.headers_too_large');
    await expectAlive();
  });

  it('because it does not arrive in time is a 408, whether its head or its body stays away', async () => {
    const server: Server = app.app.getHttpServer();
    const { headersTimeout, requestTimeout } = server;
    [server.headersTimeout, server.requestTimeout] = [1, 2];
    try {
      for (const begun of [
        'GET /health/live HTTP/1.1\r\nHost: x\r\n',
        'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{',
      ]) {
        const [answer, ...others] = answersIn(await openConnection(app.http.url, begun).end);
        expect(others).toEqual([]);
        expectProblem(answer, 408, 'request.timeout');
      }
    } finally {
      [server.headersTimeout, server.requestTimeout] = [headersTimeout, requestTimeout];
    }
    await expectAlive();
  });
});

describe('a connection that goes wrong', () => {
  it('after a whole request still gets that request’s own answer, first', async () => {
    const login = JSON.stringify({ email: 'nobody@example.com', password: 'no such person' });
    const request = `POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${login.length}\r\n\r\n${login}`;
    const [first, second, ...others] = answersIn(
      await openConnection(app.http.url, `${request}nonsense\r\n\r\n`).end,
    );
    expect(others).toEqual([]);
    expect(first?.status).toBe(401);
    expect(JSON.parse(first?.body ?? '')).toMatchObject({ code: 'auth.invalid_credentials' });
    expectProblem(second, 400, 'request.invalid');
  });

  it('in the middle of an answer gets nothing written into it', async () => {
    const store = await createStore(app.http, await signIn(app.http));
    const { body } = await app.http.post('/api/v1/payments', { amount: 1 }, store.key);
    const path = `/api/v1/payments/public/${String(body['id'])}/events`;
    const stream = openConnection(app.http.url, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await eventually(stream.received, (text) => text.includes('event: status'), 'the first event');
    stream.socket.write('nonsense\r\n\r\n');
    const text = await stream.end;
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(text).not.toContain('problem');
    await expectAlive();
  });

  it('and breaks is nobody’s error', async () => {
    for (const begun of [
      '',
      'GET /hea',
      'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{',
    ]) {
      const { socket, end } = openConnection(app.http.url, begun);
      await new Promise((resolve) => socket.once('connect', resolve));
      socket.resetAndDestroy();
      await end;
    }
    const { socket, end } = openConnection(app.http.url, 'nonsense\r\n\r\n');
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.resetAndDestroy();
    await end;
    await expectAlive();
  });
});

describe('what old and odd clients send', () => {
  it('works: HTTP/1.0 without Host, and an expectation that nobody knows', async () => {
    for (const bytes of [
      'GET /health/live HTTP/1.0\r\n\r\n',
      'GET /health/live HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nConnection: close\r\n\r\n',
    ]) {
      expect((await openConnection(app.http.url, bytes).end).slice(0, 12), bytes).toBe('HTTP/1.1 200');
    }
  });
});

describe('a client that goes in the middle of its body', () => {
  it('is no fault of the service, and logged as none', async () => {
    const database = await createTestDatabase();
    const service = await startBuiltService({ DATABASE_URL: database.url, LOG_LEVEL: 'debug' });
    try {
      const { hostname, port } = new URL(service.http.url);
      for (let count = 0; count < 3; count += 1) {
        const socket = connect(Number(port), hostname, () => {
          const head = 'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
          socket.write(`${head}Content-Length: 50\r\n\r\n{`, () => setTimeout(() => socket.destroy(), 50));
        });
        await new Promise((resolve) => socket.on('close', resolve));
      }
      await service.http.get('/api/v1/payments');
      await eventually(service.output, (output) => output.includes('/api/v1/payments'), 'a line of the log');
      expect(service.output()).not.toMatch(/service\.unavailable|"level":[56]0/);
    } finally {
      await service.stop();
      await database.drop();
    }
  });
});
