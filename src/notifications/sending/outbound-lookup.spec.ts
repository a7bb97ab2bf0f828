import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { Resolver } from 'node:dns/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { OutboundError } from './outbound-error.js';
import { LookupCache, resolverLookup, systemLookup } from './outbound-lookup.js';

/*
 * Rules: contract 7.65.
 */

/** Any instant but the first: the cache takes 0 for no time at all. */
const START_MS = 1_000;
const FOUND = [{ address: '192.0.2.1', family: 4 }];

describe('LookupCache', () => {
  it('asks once for everyone who asks within 30 s, and anew after that', async () => {
    let nowMs = START_MS;
    let asked = 0;
    const cache = new LookupCache(
      async () => {
        asked += 1;
        return FOUND;
      },
      () => nowMs,
    );
    await Promise.all([cache.addressesOf('a.test'), cache.addressesOf('a.test')]);
    nowMs = START_MS + 30_000;
    expect(await cache.addressesOf('a.test')).toEqual(FOUND);
    expect(asked).toBe(1);
    nowMs = START_MS + 30_001;
    await cache.addressesOf('a.test');
    expect(asked).toBe(2);
  });

  it('remembers a failure for a second only', async () => {
    let nowMs = START_MS;
    let asked = 0;
    const cache = new LookupCache(
      async () => {
        asked += 1;
        if (asked === 1) throw new Error('SERVFAIL');
        return FOUND;
      },
      () => nowMs,
    );
    await expect(cache.addressesOf('a.test')).rejects.toEqual(new OutboundError('dns_failed'));
    nowMs = START_MS + 1_000;
    await expect(cache.addressesOf('a.test')).rejects.toEqual(new OutboundError('dns_failed'));
    expect(asked).toBe(1);
    nowMs = START_MS + 1_001;
    expect(await cache.addressesOf('a.test')).toEqual(FOUND);
  });

  it('takes a name without addresses for a failure', async () => {
    const cache = new LookupCache(async () => []);
    await expect(cache.addressesOf('a.test')).rejects.toEqual(new OutboundError('dns_failed'));
  });

  it('remembers no more than 1,000 names and forgets the oldest first', async () => {
    const asked: string[] = [];
    const cache = new LookupCache(async (hostname) => {
      asked.push(hostname);
      return FOUND;
    });
    for (let index = 0; index <= 1_000; index += 1) await cache.addressesOf(`${index}.test`);
    await cache.addressesOf('1.test');
    expect(asked).toHaveLength(1_001);
    await cache.addressesOf('0.test');
    expect(asked).toHaveLength(1_002);
  });
});

describe('systemLookup', () => {
  it('knows the hosts file', async () => {
    const addresses = await systemLookup('localhost');
    expect(addresses.map(({ address }) => address)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^(127\.0\.0\.1|::1)$/)]),
    );
  });
});

describe('resolverLookup', () => {
  const servers: UdpSocket[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  /**
   * A name server on loopback. `answer` gives the address for a question of type A (1) or AAAA (28); null is no
   * answer.
   */
  async function nameServer(answer: (type: number) => Buffer[] | null): Promise<Resolver> {
    const server = createSocket('udp4');
    servers.push(server);
    server.on('message', (query, from) => {
      const endOfName = query.indexOf(0, 12) + 1;
      const type = query.readUInt16BE(endOfName);
      const addresses = answer(type);
      if (addresses === null) return;
      const header = Buffer.from(query.subarray(0, 12));
      header.writeUInt16BE(0x8180, 2);
      header.writeUInt16BE(addresses.length, 6);
      header.fill(0, 8, 12);
      const records = addresses.map((address) =>
        Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, address.length]), address]),
      );
      server.send(
        Buffer.concat([header, query.subarray(12, endOfName + 4), ...records]),
        from.port,
        from.address,
      );
    });
    server.bind(0, '127.0.0.1');
    await once(server, 'listening');
    const resolver = new Resolver({ timeout: 200, tries: 1 });
    resolver.setServers([`127.0.0.1:${server.address().port}`]);
    return resolver;
  }

  it('answers both families', async () => {
    const ipv6 = Buffer.from('20010db8000000000000000000000001', 'hex');
    const resolver = await nameServer((type) => [type === 1 ? Buffer.from([192, 0, 2, 1]) : ipv6]);
    expect(await resolverLookup(resolver)('shop.test')).toEqual([
      { address: '192.0.2.1', family: 4 },
      { address: '2001:db8::1', family: 6 },
    ]);
  });

  it('makes do with one family when the other is not answered', async () => {
    const resolver = await nameServer((type) => (type === 1 ? [Buffer.from([192, 0, 2, 1])] : null));
    expect(await resolverLookup(resolver)('shop.test')).toEqual([{ address: '192.0.2.1', family: 4 }]);
  });

  it('gives up on a name server that never answers', async () => {
    const resolver = await nameServer(() => null);
    await expect(resolverLookup(resolver)('shop.test')).rejects.toMatchObject({ code: 'ETIMEOUT' });
  });

  it('fails for a name without addresses', async () => {
    const resolver = await nameServer(() => []);
    await expect(resolverLookup(resolver)('shop.test')).rejects.toMatchObject({ code: 'ENODATA' });
  });
});
