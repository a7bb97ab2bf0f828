import type { Client } from 'undici';
import type { OutboundConnector, OutboundTarget } from './outbound-connection.js';
import { OutboundError } from './outbound-error.js';
import { skipContinue } from './skip-continue.js';
import { undici } from './undici-client.js';

/** Scheme, host and port: what connections are shared by. `key` is the origin as URLs write it. */
export interface OutboundOrigin extends OutboundTarget {
  readonly key: string;
}

/**
 * Someone who needs a connection for one exchange. `useConnection` is called at most once, perhaps within `acquire`.
 */
export interface ConnectionUser {
  useConnection(connection: OutboundConnection): void;
}

export interface OutboundPoolLimits {
  /** Connections to all origins together, idle ones included. */
  readonly maxConnections: number;
  readonly maxConnectionsPerOrigin: number;
  /** Users that may wait for a connection, over all origins. */
  readonly maxWaiting: number;
  /** An idle connection is closed after this, or sooner when its server announces so. */
  readonly idleTimeoutMs: number;
  /** A busy connection is replaced after this, so that a change of DNS reaches it too. */
  readonly maxAgeMs: number;
}

/**
 * At most one socket, used by one exchange at a time. undici's client connects when the first request is dispatched,
 * and anew when the server has closed the connection in between; either way through the checks of
 * `OutboundConnector`.
 */
export class OutboundConnection {
  readonly client: Client;
  #dialing: AbortController | null = null;
  #connectedAtMs = performance.now();

  constructor(
    readonly origin: OutboundOrigin,
    connector: OutboundConnector,
    idleTimeoutMs: number,
    onDisconnect: (connection: OutboundConnection) => void,
  ) {
    const { Client: HttpClient } = undici();
    this.client = new HttpClient(origin.key, {
      pipelining: 1,
      keepAliveTimeout: idleTimeoutMs,
      keepAliveMaxTimeout: idleTimeoutMs,
      // The one deadline of the exchange replaces undici's two, which start anew with every chunk or interim response.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (_options, callback) => {
        const dialing = new AbortController();
        this.#dialing = dialing;
        connector.connect(origin, dialing.signal).then(
          (socket) => callback(null, skipContinue(socket)),
          (error: unknown) =>
            callback(error instanceof Error ? error : new OutboundError('connection_failed'), null),
        );
      },
    });
    this.client.on('connect', () => (this.#connectedAtMs = performance.now()));
    this.client.on('disconnect', () => onDisconnect(this));
  }

  isOlderThan(ageMs: number): boolean {
    return performance.now() - this.#connectedAtMs > ageMs;
  }

  /** Ends everything at once, a connection that is only being made included. Never rejects. */
  destroy(): Promise<void> {
    this.#dialing?.abort();
    return this.client.destroy();
  }
}

interface OriginEntry {
  readonly origin: OutboundOrigin;
  readonly idle: OutboundConnection[];
  /** In the order of arrival. */
  readonly waiting: Set<ConnectionUser>;
  size: number;
}

/**
 * Keep-alive connections by origin, bounded for each origin and over all. Unlike undici's own pools it knows who
 * waits for which connection, so that an exchange that has run out of time takes its socket, its handshake and its
 * place in the queue with it.
 */
export class OutboundPool {
  readonly #entries = new Map<string, OriginEntry>();
  /** All idle connections, the longest idle first. */
  readonly #idle = new Set<OutboundConnection>();
  /** Origins with waiting users and room of their own, but none over all. */
  readonly #starved = new Set<OriginEntry>();
  readonly #closing = new Set<Promise<void>>();
  #size = 0;
  #waitingCount = 0;

  constructor(
    private readonly connector: OutboundConnector,
    private readonly limits: OutboundPoolLimits,
  ) {}

  /**
   * Gives the user a connection, now or when one is free. False, and nothing else happens, when too many wait
   * already.
   */
  acquire(origin: OutboundOrigin, user: ConnectionUser): boolean {
    const entry = this.#entryOf(origin);
    const connection = entry.waiting.size === 0 ? this.#takeConnection(entry) : null;
    if (connection !== null) {
      user.useConnection(connection);
      return true;
    }
    if (this.#waitingCount >= this.limits.maxWaiting) {
      this.#forgetIfUnused(entry);
      return false;
    }
    entry.waiting.add(user);
    this.#waitingCount += 1;
    if (entry.size < this.limits.maxConnectionsPerOrigin) this.#starved.add(entry);
    return true;
  }

  /** The user waits no longer. Does nothing when it does not wait. */
  cancel(origin: OutboundOrigin, user: ConnectionUser): void {
    const entry = this.#entries.get(origin.key);
    if (!entry?.waiting.delete(user)) return;
    this.#waitingCount -= 1;
    this.#forgetIfUnused(entry);
  }

  /** Gives back a connection whose exchange is complete, for the next one. */
  release(connection: OutboundConnection): void {
    const entry = this.#entryOf(connection.origin);
    if (connection.isOlderThan(this.limits.maxAgeMs)) return this.discard(connection);
    const next = this.#nextWaiting(entry);
    if (next !== null) return next.useConnection(connection);
    entry.idle.push(connection);
    this.#idle.add(connection);
    this.#serveStarved();
  }

  /** Closes a connection in use; whatever still runs on it ends. */
  discard(connection: OutboundConnection): void {
    const entry = this.#entryOf(connection.origin);
    this.#drop(entry, connection);
    const fresh = entry.waiting.size > 0 ? this.#takeConnection(entry) : null;
    if (fresh !== null) return this.#nextWaiting(entry)?.useConnection(fresh);
    this.#serveStarved();
    this.#forgetIfUnused(entry);
  }

  /** Closes every idle connection; resolves when every connection closed so far is gone. */
  async close(): Promise<void> {
    for (const connection of this.#idle) this.#dropIdle(connection);
    await Promise.all(this.#closing);
  }

  /** For the metrics and the tests: sockets open or being opened, and users waiting for one. */
  get usage(): { connections: number; idle: number; waiting: number; origins: number } {
    return {
      connections: this.#size,
      idle: this.#idle.size,
      waiting: this.#waitingCount,
      origins: this.#entries.size,
    };
  }

  /** An idle connection, the last used first; else a new one where the limits allow; else null. */
  #takeConnection(entry: OriginEntry): OutboundConnection | null {
    const idle = entry.idle.pop();
    if (idle !== undefined) {
      this.#idle.delete(idle);
      return idle;
    }
    if (entry.size >= this.limits.maxConnectionsPerOrigin) return null;
    if (this.#size >= this.limits.maxConnections && !this.#dropLongestIdle()) return null;
    entry.size += 1;
    this.#size += 1;
    return new OutboundConnection(entry.origin, this.connector, this.limits.idleTimeoutMs, (connection) => {
      if (this.#idle.has(connection)) this.#dropIdle(connection);
    });
  }

  #nextWaiting(entry: OriginEntry): ConnectionUser | null {
    for (const user of entry.waiting) {
      entry.waiting.delete(user);
      this.#waitingCount -= 1;
      if (entry.waiting.size === 0) this.#starved.delete(entry);
      return user;
    }
    return null;
  }

  /** One connection became free or closed: the first origin that waits for room over all gets it. */
  #serveStarved(): void {
    for (const entry of this.#starved) {
      const connection = entry.waiting.size > 0 ? this.#takeConnection(entry) : null;
      // To the back of the row, or out of it when its own limit is what it waits for now.
      this.#starved.delete(entry);
      if (connection === null) continue;
      const user = this.#nextWaiting(entry);
      if (entry.waiting.size > 0) this.#starved.add(entry);
      return user?.useConnection(connection);
    }
  }

  #dropLongestIdle(): boolean {
    for (const connection of this.#idle) {
      this.#dropIdle(connection);
      return true;
    }
    return false;
  }

  #dropIdle(connection: OutboundConnection): void {
    const entry = this.#entryOf(connection.origin);
    this.#idle.delete(connection);
    entry.idle.splice(entry.idle.indexOf(connection), 1);
    this.#drop(entry, connection);
    this.#forgetIfUnused(entry);
  }

  #drop(entry: OriginEntry, connection: OutboundConnection): void {
    entry.size -= 1;
    this.#size -= 1;
    const closed = connection.destroy().finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }

  #entryOf(origin: OutboundOrigin): OriginEntry {
    const known = this.#entries.get(origin.key);
    if (known !== undefined) return known;
    const entry: OriginEntry = { origin, idle: [], waiting: new Set(), size: 0 };
    this.#entries.set(origin.key, entry);
    return entry;
  }

  #forgetIfUnused(entry: OriginEntry): void {
    if (entry.waiting.size === 0) this.#starved.delete(entry);
    if (entry.size === 0 && entry.waiting.size === 0) this.#entries.delete(entry.origin.key);
  }
}
