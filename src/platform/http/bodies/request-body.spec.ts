import {
  Body,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Injectable,
  Module,
  Post,
  Req,
  UnauthorizedException,
  UseGuards,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AllowedMethods } from '../server/method-not-allowed.js';
import { readUpload } from './multipart.js';
import { ProblemFilter } from '../problems/problem.filter.js';
import {
  MAX_BODY_BYTES,
  readBodyBytes,
  registerBodyParsers,
  FormBody,
  NoBody,
  readBodiesLast,
  UploadBody,
  uploadOf,
} from './request-body.js';

/*
 * Rules: contract 1.13 to 1.15.
 *
 * Goal: a route reads the kind and size of body it declares, and nothing of a body is read before the guards have let
 * its sender in (contract 1.13). Method: a small Nest application with one route of each kind, on a real socket.
 */

@Injectable()
class Locked implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
    if (headers['x-key'] !== 'right') throw new UnauthorizedException();
    return true;
  }
}

@Injectable()
class Signed implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const bytes = await readBodyBytes(http.getRequest(), http.getResponse());
    if (!bytes.includes('signed')) throw new UnauthorizedException();
    return true;
  }
}

interface Seen {
  readonly body: unknown;
  readonly raw: string | null;
}

const seen = (request: FastifyRequest, body: unknown): Seen => ({
  body: body ?? null,
  raw: request.rawBody ?? null,
});

@Controller()
class Routes {
  @Post('json')
  json(@Req() request: FastifyRequest, @Body() body: unknown): Seen {
    return seen(request, body);
  }

  @Post('form')
  @FormBody({ json: false })
  form(@Req() request: FastifyRequest, @Body() body: unknown): Seen {
    return seen(request, body);
  }

  @Post('both')
  @FormBody()
  both(@Req() request: FastifyRequest, @Body() body: unknown): Seen {
    return seen(request, body);
  }

  @Post('locked')
  @UseGuards(Locked)
  locked(@Req() request: FastifyRequest, @Body() body: unknown): Seen {
    return seen(request, body);
  }

  @Post('signed')
  @UseGuards(Signed)
  signed(@Req() request: FastifyRequest, @Body() body: unknown): Seen {
    return seen(request, body);
  }

  @Post('upload')
  @UploadBody({ types: ['text/csv'], maxBytes: 100_000, timeoutMs: 60_000 })
  async upload(@Req() request: FastifyRequest): Promise<{ bytes: number }> {
    let bytes = 0;
    for await (const chunk of uploadOf(request)) bytes += (chunk as Buffer).length;
    return { bytes };
  }

  @Post('file')
  @UploadBody({ types: ['text/csv', 'multipart/form-data'], maxBytes: 100_000, timeoutMs: 60_000 })
  async file(@Req() request: FastifyRequest): Promise<object> {
    const { fields, file } = await readUpload(request);
    let text = '';
    for await (const chunk of file) text += String(chunk);
    return { fields, text };
  }

  @NoBody()
  @Post('none')
  none(): { done: true } {
    return { done: true };
  }
}

@Module({ controllers: [Routes] })
class RoutesModule {}

let app: NestFastifyApplication;
let url: string;

beforeAll(async () => {
  app = await NestFactory.create<NestFastifyApplication>(RoutesModule, new FastifyAdapter(), {
    bodyParser: false,
    logger: false,
  });
  registerBodyParsers(app.getHttpAdapter().getInstance());
  app.useGlobalFilters(new ProblemFilter(new AllowedMethods()));
  readBodiesLast(app);
  await app.listen(0, '127.0.0.1');
  url = await app.getUrl();
});
afterAll(() => app.close());

const FORM = 'application/x-www-form-urlencoded';

async function post(
  path: string,
  type: string | undefined,
  payload: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await fetch(`${url}/${path}`, {
    method: 'POST',
    headers: { ...(type === undefined ? {} : { 'content-type': type }), ...headers },
    body: new TextEncoder().encode(payload),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

/** Writes bytes and answers the first line that comes back. */
async function firstLine(bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  socket.write(bytes);
  const [text] = (await once(socket, 'data')) as [string];
  socket.destroy();
  return text.split('\r\n', 1)[0] ?? '';
}

describe('a route', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json ;charset=UTF-8',
    'APPLICATION/JSON',
    'application/cloudevents+json',
    'application/vnd.api+json; version=1',
  ])('reads %s', async (type) => {
    const answer = await post('json', type, '{"a":1}');
    expect(answer).toMatchObject({ body: { body: { a: 1 }, raw: '{"a":1}' } });
  });

  it.each([
    ['text/plain', {}],
    ['text/json', {}],
    ['application/xml', {}],
    ['application/jsonp', {}],
    ['application/json-seq', {}],
    ['xapplication/json', {}],
    ['multipart/form-data; boundary=x', {}],
    [FORM, {}],
    [undefined, {}],
    ['application/json; charset=utf-16', {}],
    ['application/json; charset=utf-8; charset=latin1', {}],
    ['application/json', { 'Content-Encoding': 'gzip' }],
    ['application/json', { 'Content-Encoding': 'identity, br' }],
  ])('does not read %s %j', async (type, headers) => {
    const answer = await post('json', type, '{"a":1}', headers);
    expect(answer).toMatchObject({ status: 415, body: { code: 'request.unsupported_media_type' } });
  });

  it('takes no body as none, with or without a type', async () => {
    for (const type of ['application/json', undefined])
      expect(await post('json', type, '')).toMatchObject({ body: { body: null, raw: null } });
  });

  it.each([
    ['json', 'application/json', (bytes: number) => `"${'x'.repeat(bytes - 2)}"`],
    ['form', FORM, (bytes: number) => `a=${'x'.repeat(bytes - 2)}`],
  ])('takes 64 KiB of %s and refuses one byte more', async (path, type, body) => {
    expect(MAX_BODY_BYTES).toBe(65_536);
    expect((await post(path, type, body(65_536))).status).toBe(201);
    expect(await post(path, type, body(65_537))).toMatchObject({
      status: 413,
      body: { code: 'request.too_large', detail: 'The body is larger than 64 KiB.' },
    });
  });

  it('counts what comes in pieces, too', async () => {
    const piece = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    const head = `POST /json HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    expect(await firstLine(`${head}${piece}${piece}`)).toBe('HTTP/1.1 413 Payload Too Large');
  });

  it('hands on why a body is refused', async () => {
    const answer = await post('json', 'application/json', '{');
    expect(answer).toMatchObject({ status: 400, body: { code: 'request.malformed_json' } });
  });

  it('reads a plain form where it is declared, and JSON beside it only where that is', async () => {
    const fields = { body: { trxId: 'DIJ3 MXA', provider: 'bkash' } };
    const form = 'trxId=DIJ3+MXA&provider=nagad&provider=bkash';
    expect((await post('form', FORM, form)).body).toMatchObject(fields);
    expect((await post('both', FORM, form)).body).toMatchObject(fields);
    expect((await post('both', 'application/json', '{"a":1}')).body).toMatchObject({ body: { a: 1 } });
    expect((await post('form', 'application/json', '{"a":1}')).status).toBe(415);
    expect((await post('form', FORM, '__proto__=1')).status).toBe(400);
    expect((await post('form', FORM, 'provider=bkash%00')).status).toBe(400);
    expect((await post('form', FORM, 'a&'.repeat(1_000))).status).toBe(400);
  });

  it('hands a declared type on as a stream, up to its own limit', async () => {
    expect(await post('upload', 'text/csv', 'x'.repeat(100_000))).toMatchObject({ body: { bytes: 100_000 } });
    expect((await post('upload', 'text/csv', 'x'.repeat(100_001))).status).toBe(413);
    expect((await post('upload', 'application/json', '{}')).status).toBe(415);
    expect((await post('upload', undefined, '')).status).toBe(415);
  });

  it('reads the file of a form, and the fields before it', async () => {
    const type = 'multipart/form-data; boundary=b';
    const field = '--b\r\nContent-Disposition: form-data; name="provider"\r\n\r\nbkash\r\n';
    const head =
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: x/y\r\n\r\n';
    const form = (content: string) => `${field}${head}${content}\r\n--b--\r\n`;
    const answer = await post('file', type, form('a,b\r\n1,2'));
    expect(answer.body).toEqual({ fields: { provider: 'bkash' }, text: 'a,b\r\n1,2' });
    expect((await post('file', 'text/csv', 'a,b')).body).toEqual({ fields: {}, text: 'a,b' });
    expect((await post('file', type, form('x'.repeat(90_000)))).status).toBe(201);
    expect((await post('file', type, form('x'.repeat(100_000)))).status).toBe(413);
    for (const broken of [`${field}--b--\r\n`, '', `${field}${head}a,b`, 'nothing', `${field}--b\r\n`])
      expect((await post('file', type, broken)).status, broken).toBe(broken === '' ? 415 : 400);
    expect((await post('file', 'multipart/form-data', form('a'))).status).toBe(400);
  });

  it('without a body refuses one', async () => {
    expect((await post('none', 'application/json', '{}')).status).toBe(201);
    expect((await post('none', 'application/json', 'null')).status).toBe(201);
    expect((await post('none', 'application/json', '{"a":1}')).status).toBe(400);
    expect((await post('none', 'application/json', '[1]')).status).toBe(400);
  });
});

describe('a guard', () => {
  const head = 'POST /locked HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';

  it('comes before the body: who is refused hears of it without sending one', async () => {
    expect(await firstLine(`${head}Content-Length: 60000\r\n\r\n`)).toBe('HTTP/1.1 401 Unauthorized');
    const waiting = `${head}Expect: 100-continue\r\nContent-Length: 60000\r\n\r\n`;
    expect(await firstLine(waiting)).toBe('HTTP/1.1 401 Unauthorized');
  });

  it('and who is let in is asked to go on', async () => {
    const waiting = `${head}X-Key: right\r\nExpect: 100-continue\r\nContent-Length: 60000\r\n\r\n`;
    expect(await firstLine(waiting)).toBe('HTTP/1.1 100 Continue');
    expect(await post('locked', 'application/json', '[]', { 'x-key': 'right' })).toMatchObject({
      status: 201,
    });
  });

  it('leaves the connection to the next request when the body comes after all', async () => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname).setEncoding('utf8');
    let received = '';
    socket.on('data', (chunk) => (received += String(chunk)));
    socket.write(`${head}Content-Length: 4\r\n\r\n`);
    await once(socket, 'data');
    socket.write(`nullPOST /none HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    await once(socket, 'close');
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 201']);
  });

  it('may see the bytes, which are read once', async () => {
    expect(await post('signed', 'application/json', '["signed"]')).toMatchObject({
      body: { body: ['signed'], raw: '["signed"]' },
    });
    expect((await post('signed', 'application/json', '[]')).status).toBe(401);
    expect((await post('signed', undefined, '')).status).toBe(401);
  });
});
