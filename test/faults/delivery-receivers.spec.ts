import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { type MerchantReceiver, startMerchantReceiver } from '../support/merchant-receiver.js';
import { appendEvent } from '../support/events.js';
import { type DeliveryAnswer, deliveryBecomes, deliveryOf } from '../support/delivery-views.js';
import { createStore, signIn, startTestApp, type TestApp, type TestStore } from '../support/test-app.js';

/*
 * Rules: contract 7.15 to 7.17.
 *
 * Goal: no receiver, however it misbehaves, holds a slot for ever, is taken for what it is not, or keeps others from
 * theirs. Method: the real application and sockets that speak by themselves; every exchange must end for the delivery
 * to get its status. A healthy store is sent to meanwhile.
 */

let test: TestApp;
let admin: { Authorization: string };
let healthy: MerchantReceiver;
let healthyStore: TestStore;

beforeAll(async () => {
  test = await startTestApp({
    writesPastService: true,
    environment: { WEBHOOK_RETRY_SCHEDULE: '50ms', WEBHOOK_TIMEOUT: '700ms' },
  });
  admin = await signIn(test.http);
  healthy = await startMerchantReceiver();
  healthyStore = await createStore(test.http, admin, { webhookUrl: healthy.url });
});
afterAll(async () => {
  await test.close();
  await healthy.close();
});

interface RawReceiver {
  readonly port: number;
  readonly connections: () => number;
  close(): Promise<void>;
}

/** Speaks when a request has begun to arrive; what it writes is all there is. */
async function startRawReceiver(speak: (socket: Socket) => void): Promise<RawReceiver> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    socket.once('data', () => speak(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => open.size,
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Writes the same again and again, for as long as somebody listens. */
function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 20);
  socket.on('close', () => clearInterval(timer));
}

const KIBIBYTE = 'x'.repeat(1_024);

interface Misbehaviour {
  readonly name: string;
  readonly scheme?: 'https';
  readonly speak: (socket: Socket) => void;
  readonly status: 'delivered' | 'failed';
  readonly attempt: { readonly responseStatus: number | null; readonly error: string | null };
}

const timeout = { responseStatus: null, error: 'timeout' };
const success = { responseStatus: 200, error: null };

const MISBEHAVIOURS: readonly Misbehaviour[] = [
  { name: 'never answers', speak: () => undefined, status: 'failed', attempt: timeout },
  {
    name: 'drips its headers',
    speak: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      drip(socket, 'X-More: to come\r\n');
    },
    status: 'failed',
    attempt: timeout,
  },
  {
    name: 'sends interim answers without end',
    speak: (socket) => drip(socket, 'HTTP/1.1 102 Processing\r\n\r\n'),
    status: 'failed',
    attempt: timeout,
  },
  {
    name: 'drips its body',
    speak: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n');
      drip(socket, '.');
    },
    status: 'delivered',
    attempt: success,
  },
  {
    name: 'says 200 and hangs',
    speak: (socket) => void socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'),
    status: 'delivered',
    attempt: success,
  },
  {
    name: 'sends a body of a megabyte',
    speak: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1048576\r\n\r\n');
      for (let count = 0; count < 1_024; count += 1) socket.write(KIBIBYTE);
    },
    status: 'delivered',
    attempt: success,
  },
  {
    name: 'resets the connection',
    speak: (socket) => void socket.resetAndDestroy(),
    status: 'failed',
    attempt: { responseStatus: null, error: 'connection_failed' },
  },
  {
    name: 'speaks something else than HTTP',
    speak: (socket) => void socket.end('220 mail.example.com ESMTP\r\n'),
    status: 'failed',
    attempt: { responseStatus: null, error: 'invalid_response' },
  },
  {
    name: 'speaks something else than TLS',
    scheme: 'https',
    speak: (socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    status: 'failed',
    attempt: { responseStatus: null, error: 'tls_failed' },
  },
  {
    name: 'never ends its TLS handshake',
    scheme: 'https',
    speak: () => undefined,
    status: 'failed',
    attempt: timeout,
  },
  {
    name: 'redirects to a metadata service',
    speak: (socket) =>
      void socket.end(
        'HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/latest/meta-data/\r\nContent-Length: 0\r\n\r\n',
      ),
    status: 'failed',
    attempt: { responseStatus: 302, error: 'redirect' },
  },
];

/** Sends one event there and answers the delivery when it has come to its end. */
async function deliverTo(misbehaviour: Misbehaviour): Promise<DeliveryAnswer> {
  const receiver = await startRawReceiver(misbehaviour.speak);
  try {
    const webhookUrl = `${misbehaviour.scheme ?? 'http'}://127.0.0.1:${receiver.port}/`;
    const store = await createStore(test.http, admin, { webhookUrl });
    const event = await appendEvent(test, store.id);
    const delivery = await deliveryBecomes(test, store, event, misbehaviour.status);
    // The exchange is over, so its socket is gone: what drips on is no one's any more.
    await eventually(receiver.connections, (count) => count === 0, 'the end of its connections');
    return delivery;
  } finally {
    await receiver.close();
  }
}

describe('a receiver that', () => {
  it.each(MISBEHAVIOURS)('$name', async (misbehaviour) => {
    const { attempts } = await deliverTo(misbehaviour);
    const count = misbehaviour.status === 'delivered' ? 1 : 2;
    expect(attempts).toMatchObject(Array.from({ length: count }, () => misbehaviour.attempt));
    for (const { responseExcerpt } of attempts) {
      expect(Buffer.byteLength(responseExcerpt ?? '')).toBeLessThanOrEqual(1_024);
    }
  });
});

it('all of them at once keep nobody else from what is theirs', async () => {
  const running = Promise.all(MISBEHAVIOURS.map(deliverTo));
  const events = await Promise.all(Array.from({ length: 20 }, () => appendEvent(test, healthyStore.id)));
  for (const event of events) {
    expect((await deliveryBecomes(test, healthyStore, event, 'delivered')).attempts).toHaveLength(1);
  }
  await running;
  const [first] = events;
  expect((await deliveryOf(test, healthyStore, first!)).status).toBe('delivered');
});
