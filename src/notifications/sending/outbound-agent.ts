import { connect as connectTcp, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import type { Agent, buildConnector, Dispatcher } from 'undici';
import { type AddressVerdict, literalAddress } from './outbound-address.js';
import { OutboundError } from './outbound-error.js';
import type { ResolvedAddress } from './outbound-lookup.js';
import { skipContinue } from './skip-continue.js';

export interface OutboundAgentOptions {
  /** Judges addresses, before a connection and again after it. */
  readonly verdictOf: (address: string) => AddressVerdict;
  /** Every address of a host name; see `LookupCache`. */
  readonly addressesOf: (hostname: string) => Promise<readonly ResolvedAddress[]>;
  /** PEM certificates to trust in place of Node's. */
  readonly certificateAuthorities?: string | undefined;
  /** A connection that is not there after this, its handshake included, is given up, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** An idle connection is closed after this, or sooner when its server announces so. */
  readonly idleTimeoutMs: number;
  /** A connection is replaced after this, so that a change of DNS reaches it too. */
  readonly maxAgeMs: number;
  /** With more open sockets than this, an exchange closes its own when it is over. */
  readonly maxKept: number;
}

/** Time before the next address of a name is tried, in milliseconds (RFC 8305 §5). */
const NEXT_ADDRESS_DELAY_MS = 250;
const MAX_ADDRESSES_TRIED = 4;
const TCP_KEEP_ALIVE_DELAY_MS = 60_000;

/**
 * Exchanges for which one of undici's agents is used. Its pool looks through all connections of an origin for one that
 * is free: with hundreds to one origin that took a third of a drain's time.
 */
const MAX_IN_GROUP = 4;

interface Group {
  readonly index: number;
  readonly agent: Agent;
  running: number;
  /** How many exchanges are under way, by origin. */
  readonly underWay: Map<string, number>;
}

/**
 * Agents of undici that connect to checked addresses only (contract 7.63): a literal address, or else every address
 * of the name, must pass; the connection is made to one of exactly those, and its far end is checked again before the
 * first byte, TLS included, is written. So there is no moment between check and use in which a name could change its
 * meaning.
 */
export class OutboundAgent {
  private readonly groups: Group[] = [];
  /** No group before this one has room. */
  private firstWithRoom = 0;
  private readonly sockets = new Set<Socket>();
  private secureContext: SecureContext | null = null;

  private constructor(
    private readonly HttpAgent: typeof Agent,
    private readonly options: OutboundAgentOptions,
  ) {}

  private newGroup(): Group {
    const { idleTimeoutMs, maxAgeMs } = this.options;
    const underWay = new Map<string, number>();
    const agent = new this.HttpAgent({
      // A connection for each exchange of the group, so that nobody waits but for one that is just becoming free.
      connections: MAX_IN_GROUP,
      pipelining: 1,
      clientTtl: maxAgeMs,
      keepAliveTimeout: idleTimeoutMs,
      keepAliveMaxTimeout: idleTimeoutMs,
      // The one deadline of the exchange replaces undici's two, which start anew with every chunk or interim response.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (target, callback) => {
        // After a request that was aborted undici (7.30) connects once more, for nobody.
        const isWanted = underWay.has(`${target.protocol}//${target.host}`);
        const connected = isWanted ? this.connect(target) : Promise.reject(new OutboundError('aborted'));
        connected.then(
          (socket) => callback(null, socket),
          (error: Error) => callback(error, null),
        );
      },
    });
    const group = { index: this.groups.length, agent, running: 0, underWay };
    this.groups.push(group);
    return group;
  }

  /** Reads undici, which a start need not wait for. */
  static async create(options: OutboundAgentOptions): Promise<OutboundAgent> {
    const { Agent: HttpAgent } = await import('undici');
    return new OutboundAgent(HttpAgent, options);
  }

  /** Sockets open or being opened. */
  get openSockets(): number {
    return this.sockets.size;
  }

  /** Answers what is to be called when the exchange is over. */
  dispatch(
    request: Omit<Dispatcher.DispatchOptions, 'method' | 'origin'> & { readonly origin: string },
    handler: Dispatcher.DispatchHandler,
  ): () => void {
    const { origin } = request;
    const group = this.groupWithRoom();
    const { agent, underWay } = group;
    group.running += 1;
    underWay.set(origin, (underWay.get(origin) ?? 0) + 1);
    const reset = this.sockets.size > this.options.maxKept;
    agent.dispatch({ ...request, method: 'POST', reset }, handler);
    return () => {
      group.running -= 1;
      this.firstWithRoom = Math.min(this.firstWithRoom, group.index);
      const others = (underWay.get(origin) ?? 0) - 1;
      if (others > 0) underWay.set(origin, others);
      else underWay.delete(origin);
    };
  }

  /** The first that has room, so that the connections of few exchanges are used again. */
  private groupWithRoom(): Group {
    for (; ; this.firstWithRoom += 1) {
      const group = this.groups[this.firstWithRoom] ?? this.newGroup();
      if (group.running < MAX_IN_GROUP) return group;
    }
  }

  /** Ends everything at once; resolves when no socket is open any more. */
  async destroy(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await Promise.all(this.groups.map(({ agent }) => agent.destroy()));
    await Promise.all(
      [...this.sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))),
    );
  }

  /** A socket whose far end has been looked at, for a secure origin after the handshake. */
  private async connect({ hostname, port, protocol }: buildConnector.Options): Promise<Socket> {
    const secure = protocol === 'https:';
    const literal = literalAddress(hostname);
    // Node asks nobody for the address of a literal, so it is judged here.
    if (literal !== null && !this.options.verdictOf(literal).allowed)
      throw new OutboundError('address_refused');
    const socket = connectTcp({
      ...{ host: literal ?? hostname, port: Number(port || (secure ? 443 : 80)), lookup: this.lookup },
      ...{ autoSelectFamily: true, autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_DELAY_MS },
      ...{ noDelay: true, keepAlive: true, keepAliveInitialDelay: TCP_KEEP_ALIVE_DELAY_MS },
    });
    const isOpen = this.keep(socket, 'connect', 'connection_failed');
    const timer = setTimeout(() => socket.destroy(), this.options.connectTimeoutMs);
    try {
      await isOpen;
      const { remoteAddress } = socket;
      // A connection that is gone already has no far end any more.
      if (remoteAddress === undefined) throw new OutboundError('connection_failed');
      if (!this.options.verdictOf(remoteAddress).allowed) throw new OutboundError('address_refused');
      if (!secure) return skipContinue(socket);
      const tlsSocket = this.secured(socket, hostname, literal);
      await this.keep(tlsSocket, 'secureConnect', 'tls_failed');
      return skipContinue(tlsSocket);
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** TLS over a connection that has been looked at. The certificate must be valid for the host name of the URL. */
  private secured(socket: Socket, hostname: string, literal: string | null): TLSSocket {
    // Made for the first that needs it: reading all of Node's certificates takes as long as twenty modules.
    this.secureContext ??= createSecureContext({ ca: this.options.certificateAuthorities });
    return connectTls({
      socket,
      host: literal ?? hostname,
      // Addresses are not allowed as server names (RFC 6066 §3).
      servername: literal === null ? hostname : '',
      secureContext: this.secureContext,
      ALPNProtocols: ['http/1.1'],
      // Said here so that NODE_TLS_REJECT_UNAUTHORIZED cannot switch it off.
      rejectUnauthorized: true,
    });
  }

  /** Node connects to nothing but what this answers: every address of the name, after all of them have passed. */
  private readonly lookup: LookupFunction = (hostname, { all }, callback) => {
    this.checkedAddresses(hostname).then(
      (addresses) => {
        if (all === true) callback(null, addresses);
        else callback(null, addresses[0]!.address, addresses[0]!.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };

  private async checkedAddresses(hostname: string): Promise<ResolvedAddress[]> {
    const addresses = await this.options.addressesOf(hostname);
    // One bad address among good ones is how rebinding hides, so it spoils them all.
    if (addresses.some(({ address }) => !this.options.verdictOf(address).allowed))
      throw new OutboundError('address_refused');
    return addresses.slice(0, MAX_ADDRESSES_TRIED);
  }

  /** Counts a socket until it is closed; resolves with the event, rejects when it is closed before. */
  private keep(
    socket: Socket,
    event: 'connect' | 'secureConnect',
    code: 'connection_failed' | 'tls_failed',
  ): Promise<void> {
    this.sockets.add(socket);
    return new Promise((resolve, reject) => {
      socket.once(event, resolve);
      // Stays for the life of the socket: an error without a listener would end the process.
      socket.on('error', (error) =>
        reject(error instanceof OutboundError ? error : new OutboundError(code, error)),
      );
      socket.once('close', () => {
        this.sockets.delete(socket);
        reject(new OutboundError(code));
      });
    });
  }
}
