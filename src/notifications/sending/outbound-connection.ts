import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { type AddressVerdict, literalAddress } from './outbound-address.js';
import { OutboundError, type WebhookErrorCode } from './outbound-error.js';
import type { ResolvedAddress } from './outbound-lookup.js';

export interface OutboundTarget {
  /** As in a parsed URL: a name in lower case, a plain IPv4 address, or IPv6 in brackets. */
  readonly hostname: string;
  readonly port: number;
  readonly secure: boolean;
}

export interface OutboundConnectorOptions {
  /** Judges addresses, before a connection and again after it. */
  readonly verdictOf: (address: string) => AddressVerdict;
  /** Every address of a host name; see `LookupCache`. */
  readonly addressesOf: (hostname: string) => Promise<readonly ResolvedAddress[]>;
  /** PEM certificates to trust in place of Node's. */
  readonly certificateAuthorities?: string;
}

/** Wait before the next address is tried beside the one under way (RFC 8305 §5). */
const NEXT_ADDRESS_DELAY_MS = 250;
const MAX_ADDRESSES_TRIED = 4;
const TCP_KEEP_ALIVE_DELAY_MS = 60_000;

/**
 * Opens connections for webhooks, to checked addresses only (contract 7.63): every address of the name must pass, the
 * connection is made to one of exactly those addresses, and its far end is checked again before the first byte, TLS
 * included, is written. So there is no moment between check and use in which a name could change its meaning.
 */
export class OutboundConnector {
  #secureContext: SecureContext | null = null;

  constructor(private readonly options: OutboundConnectorOptions) {}

  /**
   * A connected socket, for a secure target after the handshake. Sets no time limit of its own but for the look-up: the
   * caller ends a slow attempt through `signal`, after which nothing stays open.
   *
   * @throws OutboundError `dns_failed`, `address_refused`, `connection_failed`, `tls_failed`, `aborted`
   */
  async connect(target: OutboundTarget, signal: AbortSignal): Promise<Socket | TLSSocket> {
    const addresses = await this.#checkedAddresses(target.hostname);
    if (signal.aborted) throw new OutboundError('aborted');
    const socket = await connectToFirst(inTurnByFamily(addresses), target.port, signal);
    const { remoteAddress } = socket;
    const refusal = this.#refuseConnected(remoteAddress, signal);
    if (refusal !== null) {
      socket.destroy();
      throw new OutboundError(refusal);
    }
    return target.secure ? secure(socket, target.hostname, this.#trust(), signal) : socket;
  }

  /**
   * Made for the first that needs it: reading all of Node's certificates takes as long as twenty modules at the
   * start.
   */
  #trust(): SecureContext {
    this.#secureContext ??= createSecureContext({ ca: this.options.certificateAuthorities });
    return this.#secureContext;
  }

  #refuseConnected(remoteAddress: string | undefined, signal: AbortSignal): WebhookErrorCode | null {
    if (signal.aborted) return 'aborted';
    // A connection that is gone already has no far end any more.
    if (remoteAddress === undefined) return 'connection_failed';
    return this.options.verdictOf(remoteAddress).allowed ? null : 'address_refused';
  }

  async #checkedAddresses(hostname: string): Promise<readonly ResolvedAddress[]> {
    const literal = literalAddress(hostname);
    const addresses =
      literal === null
        ? await this.options.addressesOf(hostname)
        : [{ address: literal, family: literal.includes(':') ? 6 : 4 }];
    // One bad address among good ones is how rebinding hides, so it spoils them all.
    if (addresses.some(({ address }) => !this.options.verdictOf(address).allowed)) {
      throw new OutboundError('address_refused');
    }
    return addresses;
  }
}

/** The first few addresses, alternating between the families, so that one broken family costs one attempt. */
function inTurnByFamily(addresses: readonly ResolvedAddress[]): string[] {
  const firstFamily = addresses.filter(({ family }) => family === addresses[0]?.family);
  const otherFamily = addresses.filter(({ family }) => family !== addresses[0]?.family);
  return firstFamily
    .flatMap((address, index) => [address, otherFamily[index]])
    .concat(otherFamily.slice(firstFamily.length))
    .flatMap((resolved) => resolved?.address ?? [])
    .slice(0, MAX_ADDRESSES_TRIED);
}

/** Connects to whichever address answers first; each gets a head start over the next. */
function connectToFirst(addresses: readonly string[], port: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const waiting = [...addresses];
    const attempts = new Set<Socket>();
    let timer: NodeJS.Timeout | undefined;

    const finish = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      for (const attempt of attempts) attempt.destroy();
    };
    const onAbort = (): void => {
      finish();
      reject(new OutboundError('aborted'));
    };
    const tryNext = (): void => {
      clearTimeout(timer);
      const address = waiting.shift();
      if (address === undefined) return;
      const attempt = connectTcp({
        host: address,
        port,
        noDelay: true,
        keepAlive: true,
        keepAliveInitialDelay: TCP_KEEP_ALIVE_DELAY_MS,
      });
      attempts.add(attempt);
      timer = setTimeout(tryNext, NEXT_ADDRESS_DELAY_MS);
      attempt.once('connect', () => {
        attempts.delete(attempt);
        finish();
        resolve(attempt);
      });
      // Stays for the life of the socket: an error without a listener would end the process.
      attempt.on('error', (cause) => {
        if (!attempts.delete(attempt)) return;
        if (waiting.length > 0) return tryNext();
        if (attempts.size > 0) return;
        finish();
        reject(new OutboundError('connection_failed', cause));
      });
    };

    signal.addEventListener('abort', onAbort, { once: true });
    tryNext();
  });
}

/** TLS over a connection that has been checked. The certificate must be valid for the host name of the URL. */
function secure(
  socket: Socket,
  hostname: string,
  secureContext: SecureContext,
  signal: AbortSignal,
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const literal = literalAddress(hostname);
    const tlsSocket = connectTls({
      socket,
      host: literal ?? hostname,
      // Addresses are not allowed as server names (RFC 6066 §3).
      servername: literal === null ? hostname : '',
      secureContext,
      ALPNProtocols: ['http/1.1'],
      // Said here so that NODE_TLS_REJECT_UNAUTHORIZED cannot switch it off.
      rejectUnauthorized: true,
    });
    const fail = (error: OutboundError): void => {
      signal.removeEventListener('abort', onAbort);
      tlsSocket.destroy();
      socket.destroy();
      reject(error);
    };
    const onAbort = (): void => fail(new OutboundError('aborted'));
    tlsSocket.on('error', (cause) => fail(new OutboundError('tls_failed', cause)));
    tlsSocket.once('close', () => fail(new OutboundError('tls_failed')));
    tlsSocket.once('secureConnect', () => {
      signal.removeEventListener('abort', onAbort);
      resolve(tlsSocket);
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
