import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addressVerdict, type AddressVerdict } from './outbound-address.js';
import { OutboundAgent } from './outbound-agent.js';
import type { OutboundError } from './outbound-error.js';
import type { ResolvedAddress } from './outbound-lookup.js';

/*
 * Rules: contract 7.63, 7.64.
 */

/** Goal: nothing reaches an address that is not allowed. Method: a listener on loopback that counts what it gets. */
describe('OutboundAgent', () => {
  let canary: Server;
  let port: number;
  let connections: Socket[];
  let receivedBytes: number;

  beforeEach(async () => {
    connections = [];
    receivedBytes = 0;
    canary = createServer((socket) => {
      connections.push(socket);
      socket.on('data', (chunk) => {
        receivedBytes += chunk.length;
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      });
      socket.on('error', () => undefined);
    });
    canary.listen(0, '127.0.0.1');
    await once(canary, 'listening');
    port = (canary.address() as AddressInfo).port;
  });

  afterEach(async () => {
    for (const socket of connections) socket.destroy();
    canary.close();
    await once(canary, 'close');
  });

  /** Posts over a new agent: the status, or the code of what went wrong. */
  async function post(
    { hostname, secure = false }: { readonly hostname: string; readonly secure?: boolean },
    resolved: readonly string[],
    verdictOf: (address: string) => AddressVerdict = (address) =>
      addressVerdict(address, { allowPrivate: true }),
  ): Promise<string | number> {
    const addresses: ResolvedAddress[] = resolved.map((address) => ({
      address,
      family: address.includes(':') ? 6 : 4,
    }));
    const agent = await OutboundAgent.create({
      ...{ verdictOf, addressesOf: async () => addresses },
      ...{ connectTimeoutMs: 10_000, idleTimeoutMs: 1_000, maxAgeMs: 60_000, maxKept: 10 },
    });
    try {
      return await new Promise((resolve) => {
        const origin = `${secure ? 'https' : 'http'}://${hostname}:${port}`;
        agent.dispatch(
          { origin, path: '/', headers: {}, body: 'x' },
          {
            onRequestStart: () => undefined,
            onResponseStart: (_controller, status) => resolve(status),
            onResponseEnd: () => undefined,
            onResponseError: (_controller, error) => resolve((error as OutboundError).code),
          },
        );
      });
    } finally {
      await agent.destroy();
      expect(agent.openSockets).toBe(0);
    }
  }

  const strictly = (address: string): AddressVerdict => addressVerdict(address, { allowPrivate: false });

  it('reaches the listener when it may', async () => {
    expect(await post({ hostname: 'shop.test' }, ['127.0.0.1'])).toBe(200);
    expect(connections).toHaveLength(1);
  });

  it.each([
    { hostname: 'rebind.test', resolved: ['127.0.0.1'] },
    { hostname: 'rebind.test', resolved: ['8.8.8.8', '127.0.0.1'] },
    { hostname: 'rebind.test', resolved: ['127.0.0.1', '2606:4700::1111'] },
    { hostname: 'rebind.test', resolved: ['::ffff:127.0.0.1'] },
    { hostname: 'rebind.test', resolved: ['64:ff9b::7f00:1'] },
    { hostname: 'rebind.test', resolved: ['0.0.0.0'] },
    { hostname: 'rebind.test', resolved: ['127.1'] },
    { hostname: 'rebind.test', resolved: ['localhost'] },
    { hostname: '127.0.0.1', resolved: ['8.8.8.8'] },
    { hostname: '[::ffff:7f00:1]', resolved: ['8.8.8.8'] },
    { hostname: '[::1]', resolved: ['8.8.8.8'] },
  ])('refuses $hostname at $resolved before it connects', async ({ hostname, resolved }) => {
    for (const secure of [false, true]) {
      expect(await post({ hostname, secure }, resolved, strictly)).toBe('address_refused');
    }
    expect(connections).toHaveLength(0);
  });

  it.each([false, true])(
    'writes nothing when the far end turns out to be refused (secure: %s)',
    async (secure) => {
      let judged = 0;
      const refuseTheSecondTime = (): AddressVerdict => {
        judged += 1;
        return judged === 1 ? { allowed: true } : { allowed: false, reason: 'private' };
      };
      const accepted = once(canary, 'connection') as Promise<[Socket]>;
      expect(await post({ hostname: 'shop.test', secure }, ['127.0.0.1'], refuseTheSecondTime)).toBe(
        'address_refused',
      );
      const [socket] = await accepted;
      if (!socket.closed) await once(socket, 'close');
      expect(receivedBytes).toBe(0);
    },
  );

  it('tries the next address when one does not work', async () => {
    // Nothing listens on the IPv6 side of this port; where there is no IPv6 at all, that fails just as well.
    expect(await post({ hostname: 'shop.test' }, ['::1', '127.0.0.1'])).toBe(200);
  });

  it('fails when no address works', async () => {
    expect(await post({ hostname: 'shop.test' }, ['::1'])).toBe('connection_failed');
  });

  it('gives a handshake up that is not over in time', async () => {
    const silent = createServer((socket) => connections.push(socket));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    port = (silent.address() as AddressInfo).port;
    const agent = await OutboundAgent.create({
      verdictOf: () => ({ allowed: true }),
      addressesOf: async () => [{ address: '127.0.0.1', family: 4 }],
      ...{ connectTimeoutMs: 200, idleTimeoutMs: 1_000, maxAgeMs: 60_000, maxKept: 10 },
    });
    const code = await new Promise((resolve) => {
      agent.dispatch(
        { origin: `https://shop.test:${port}`, path: '/', headers: {}, body: 'x' },
        { onRequestStart: () => undefined, onResponseError: (_controller, { code }: never) => resolve(code) },
      );
    });
    expect(code).toBe('tls_failed');
    await agent.destroy();
    silent.close();
  });
});
