import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addressVerdict, type AddressVerdict } from './outbound-address.js';
import { OutboundConnector } from './outbound-connection.js';
import type { ResolvedAddress } from './outbound-lookup.js';

const NEVER = new AbortController().signal;

/** Goal: nothing reaches an address that is not allowed. Method: a listener on loopback that counts what it gets. */
describe('OutboundConnector', () => {
  let canary: Server;
  let port: number;
  let connections: Socket[];
  let receivedBytes: number;

  beforeEach(async () => {
    connections = [];
    receivedBytes = 0;
    canary = createServer((socket) => {
      connections.push(socket);
      socket.on('data', (chunk) => (receivedBytes += chunk.length));
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

  function connector(
    resolved: readonly string[],
    verdictOf: (address: string) => AddressVerdict = (address) =>
      addressVerdict(address, { allowPrivate: true }),
  ): OutboundConnector {
    const addresses: ResolvedAddress[] = resolved.map((address) => ({
      address,
      family: address.includes(':') ? 6 : 4,
    }));
    return new OutboundConnector({ verdictOf, addressesOf: async () => addresses });
  }

  const strictly = (address: string): AddressVerdict => addressVerdict(address, { allowPrivate: false });

  it('reaches the listener when it may', async () => {
    const socket = await connector(['127.0.0.1']).connect(
      { hostname: 'shop.test', port, secure: false },
      NEVER,
    );
    expect(socket.remoteAddress).toBe('127.0.0.1');
    socket.destroy();
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
      const attempt = connector(resolved, strictly).connect({ hostname, port, secure }, NEVER);
      await expect(attempt).rejects.toMatchObject({ code: 'address_refused' });
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
      const attempt = connector(['127.0.0.1'], refuseTheSecondTime).connect(
        { hostname: 'shop.test', port, secure },
        NEVER,
      );
      await expect(attempt).rejects.toMatchObject({ code: 'address_refused' });
      const [socket] = await accepted;
      if (!socket.closed) await once(socket, 'close');
      expect(receivedBytes).toBe(0);
    },
  );

  it('tries the next address when one does not work', async () => {
    // Nothing listens on the IPv6 side of this port; where there is no IPv6 at all, that fails just as well.
    const socket = await connector(['::1', '127.0.0.1']).connect(
      { hostname: 'shop.test', port, secure: false },
      NEVER,
    );
    expect(socket.remoteAddress).toBe('127.0.0.1');
    socket.destroy();
  });

  it('fails when no address works', async () => {
    const attempt = connector(['::1']).connect({ hostname: 'shop.test', port, secure: false }, NEVER);
    await expect(attempt).rejects.toMatchObject({ code: 'connection_failed' });
  });

  it('leaves nothing open when it is aborted during the handshake', async () => {
    const abort = new AbortController();
    const accepted = once(canary, 'connection') as Promise<[Socket]>;
    const attempt = connector(['127.0.0.1']).connect(
      { hostname: 'shop.test', port, secure: true },
      abort.signal,
    );
    const [socket] = await accepted;
    await once(socket, 'data');
    abort.abort();
    await expect(attempt).rejects.toMatchObject({ code: 'aborted' });
    if (!socket.closed) await once(socket, 'close');
  });
});
