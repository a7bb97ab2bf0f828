import { describe, expect, it } from 'vitest';
import { OutboundConnector } from './outbound-connection.js';
import {
  type ConnectionUser,
  type OutboundConnection,
  type OutboundOrigin,
  OutboundPool,
} from './outbound-pool.js';

class Visitor implements ConnectionUser {
  connection: OutboundConnection | null = null;

  useConnection(connection: OutboundConnection): void {
    if (this.connection !== null) throw new Error('A user gets one connection');
    this.connection = connection;
  }

  held(): OutboundConnection {
    if (this.connection === null) throw new Error('Still waiting');
    return this.connection;
  }
}

/** Goal: who gets a connection, and when. Method: nothing is dispatched, so no socket is ever opened. */
describe('OutboundPool', () => {
  const origins = ['a', 'b', 'c'].map((name): OutboundOrigin => ({
    key: `http://${name}.test`,
    hostname: `${name}.test`,
    port: 80,
    secure: false,
  }));
  const [a, b, c] = origins as [OutboundOrigin, OutboundOrigin, OutboundOrigin];

  function pool(maxConnections: number, maxConnectionsPerOrigin: number, maxWaiting = 100): OutboundPool {
    const connector = new OutboundConnector({
      verdictOf: () => ({ allowed: false, reason: 'private' }),
      addressesOf: async () => [],
    });
    return new OutboundPool(connector, {
      maxConnections,
      maxConnectionsPerOrigin,
      maxWaiting,
      idleTimeoutMs: 1_000,
      maxAgeMs: 60_000,
    });
  }

  function visit(tested: OutboundPool, origin: OutboundOrigin): Visitor {
    const visitor = new Visitor();
    expect(tested.acquire(origin, visitor)).toBe(true);
    return visitor;
  }

  it('hands a released connection to whoever waits longest', () => {
    const tested = pool(10, 1);
    const [first, second, third] = [visit(tested, a), visit(tested, a), visit(tested, a)];
    const connection = first.held();
    expect(second.connection).toBeNull();
    tested.release(connection);
    expect(second.connection).toBe(connection);
    expect(third.connection).toBeNull();
    tested.release(connection);
    expect(third.connection).toBe(connection);
    tested.release(connection);
    expect(tested.usage).toEqual({ connections: 1, idle: 1, waiting: 0, origins: 1 });
    expect(visit(tested, a).connection).toBe(connection);
  });

  it('replaces a discarded connection for whoever waits', () => {
    const tested = pool(10, 1);
    const [first, second] = [visit(tested, a), visit(tested, a)];
    const connection = first.held();
    tested.discard(connection);
    expect(connection.client.destroyed).toBe(true);
    expect(second.held()).not.toBe(connection);
    tested.discard(second.held());
    expect(tested.usage).toEqual({ connections: 0, idle: 0, waiting: 0, origins: 0 });
  });

  it('closes the longest idle connection to make room for another origin', () => {
    const tested = pool(2, 2);
    const [first, second] = [visit(tested, a), visit(tested, b)];
    tested.release(second.held());
    tested.release(first.held());
    expect(visit(tested, c).connection).not.toBeNull();
    expect(second.held().client.destroyed).toBe(true);
    expect(first.held().client.destroyed).toBe(false);
    expect(tested.usage).toMatchObject({ connections: 2, idle: 1, origins: 2 });
  });

  it('gives room over all to origins in turn, also when their own limit was reached in between', () => {
    const tested = pool(1, 1);
    const first = visit(tested, a);
    const waiting = [visit(tested, b), visit(tested, b), visit(tested, c)];
    tested.release(first.held());
    expect(waiting.map(({ connection }) => connection !== null)).toEqual([true, false, false]);
    tested.discard(waiting[0]!.held());
    expect(waiting[1]!.connection).not.toBeNull();
    tested.release(waiting[1]!.held());
    expect(waiting[2]!.connection).not.toBeNull();
    tested.discard(waiting[2]!.held());
    expect(tested.usage).toEqual({ connections: 0, idle: 0, waiting: 0, origins: 0 });
  });

  it('forgets who gave up waiting', () => {
    const tested = pool(1, 1);
    const first = visit(tested, a);
    const [gone, next] = [visit(tested, b), visit(tested, b)];
    tested.cancel(b, gone);
    tested.cancel(b, gone);
    expect(tested.usage.waiting).toBe(1);
    tested.discard(first.held());
    expect(gone.connection).toBeNull();
    expect(next.connection).not.toBeNull();
  });

  it('turns away who would wait behind too many', () => {
    const tested = pool(1, 1, 1);
    visit(tested, a);
    visit(tested, a);
    expect(tested.acquire(b, new Visitor())).toBe(false);
    expect(tested.acquire(a, new Visitor())).toBe(false);
    expect(tested.usage).toEqual({ connections: 1, idle: 0, waiting: 1, origins: 1 });
  });

  it('never passes its limits and never forgets a user, whatever happens', () => {
    const tested = pool(4, 2);
    const held: Visitor[] = [];
    const all: Visitor[] = [];
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * below);
    };
    for (let step = 0; step < 5_000; step += 1) {
      const origin = origins[random(3)]!;
      if (random(2) === 0 && tested.usage.waiting < 50) all.push(visit(tested, origin));
      held.splice(0, held.length, ...all.filter(({ connection }) => connection !== null));
      const leaving = held[random(Math.max(held.length, 1))];
      if (leaving !== undefined && random(2) === 0) {
        all.splice(all.indexOf(leaving), 1);
        if (random(3) === 0) tested.discard(leaving.held());
        else tested.release(leaving.held());
      }
      const using = all.filter(({ connection }) => connection !== null);
      expect(tested.usage.connections).toBeLessThanOrEqual(4);
      expect(tested.usage.connections).toBe(using.length + tested.usage.idle);
      for (const { key } of origins) {
        expect(using.filter((visitor) => visitor.held().origin.key === key).length).toBeLessThanOrEqual(2);
      }
      expect(tested.usage.waiting).toBe(all.length - using.length);
    }
    for (let left = all.length; left > 0; left -= 1) {
      const leaving = all.find(({ connection }) => connection !== null);
      if (leaving === undefined) throw new Error('Users wait although nobody holds a connection');
      all.splice(all.indexOf(leaving), 1);
      tested.release(leaving.held());
    }
    expect(tested.usage.waiting).toBe(0);
  });
});
