import { lookup as lookupBySystem, Resolver } from 'node:dns/promises';
import { LRUCache } from 'lru-cache';
import { OutboundError } from './outbound-error.js';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/**
 * Every address of a host name, in the order in which they should be tried. Rejects, or answers none, when it has
 * none.
 */
export type NameLookup = (hostname: string) => Promise<readonly ResolvedAddress[]>;

/** Within a minute of a change of DNS, deliveries follow it. */
const FOUND_TTL_MS = 30_000;
/** Long enough to spare the resolver a burst of deliveries, short enough that the first retry (5 s) asks anew. */
const FAILED_TTL_MS = 1_000;
/** A look-up that never comes back is forgotten after this, so that it cannot block its name for ever. */
const PENDING_TTL_MS = 60_000;
const LOOKUP_TIMEOUT_MS = 5_000;
const MAX_ENTRIES = 1_000;

/**
 * The operating system's own look-up, which knows the hosts file and local domains. It occupies one of the four threads
 * that passwords and files share for as long as a name server takes to answer, so it is for development only.
 */
export const systemLookup: NameLookup = (hostname) =>
  lookupBySystem(hostname, { all: true, order: 'verbatim' });

/**
 * Asks the name servers directly, without threads and with a bounded time: a store whose name server never answers
 * delays nobody else. The hosts file and search domains do not count, which is right for public names.
 */
export function resolverLookup(resolver = new Resolver({ timeout: 1_500, tries: 2 })): NameLookup {
  return async (hostname) => {
    const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    if (ipv4.status === 'rejected' && ipv6.status === 'rejected') throw ipv4.reason;
    return [
      ...(ipv4.status === 'fulfilled' ? ipv4.value.map((address) => ({ address, family: 4 })) : []),
      ...(ipv6.status === 'fulfilled' ? ipv6.value.map((address) => ({ address, family: 6 })) : []),
    ];
  };
}

/**
 * Remembers look-ups for at most 60 s (30 s when found, 1 s when not) and at most 1,000 names, lets everyone who asks
 * for a name at the same time share one look-up, and answers `dns_failed` after 5 s. What it remembers is checked by
 * its caller at every connection, never here.
 */
export class LookupCache {
  private readonly known: LRUCache<string, Promise<readonly ResolvedAddress[]>>;

  constructor(
    private readonly lookup: NameLookup,
    monotonicMs: () => number = () => performance.now(),
  ) {
    this.known = new LRUCache({ max: MAX_ENTRIES, ttlResolution: 0, perf: { now: monotonicMs } });
  }

  /** At least one address. @throws OutboundError `dns_failed` */
  async addressesOf(hostname: string): Promise<readonly ResolvedAddress[]> {
    const addresses = this.known.get(hostname) ?? this.start(hostname);
    let timer: NodeJS.Timeout | undefined;
    const timedOut = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new OutboundError('dns_failed')), LOOKUP_TIMEOUT_MS);
    });
    try {
      return await Promise.race([addresses, timedOut]);
    } finally {
      clearTimeout(timer);
    }
  }

  private start(hostname: string): Promise<readonly ResolvedAddress[]> {
    const addresses = this.ask(hostname);
    const keep = (ttl: number) => this.known.set(hostname, addresses, { ttl });
    keep(PENDING_TTL_MS);
    addresses.then(
      () => keep(FOUND_TTL_MS),
      () => keep(FAILED_TTL_MS),
    );
    return addresses;
  }

  private async ask(hostname: string): Promise<readonly ResolvedAddress[]> {
    let addresses: readonly ResolvedAddress[];
    try {
      addresses = await this.lookup(hostname);
    } catch (cause) {
      throw new OutboundError('dns_failed', cause);
    }
    if (addresses.length === 0) throw new OutboundError('dns_failed');
    return addresses;
  }
}
