import ipaddr from 'ipaddr.js';

/** Bits of an IPv6 address that its owner does not choose: a household or a server gets a /64 at least. */
const IPV6_PREFIX_BITS = 64;

/**
 * What is counted as one network address: an IPv4 address, also when it is mapped into IPv6, and the /64 of an IPv6
 * address, because its owner has 2^64 of them. Anything else stands for itself.
 */
export function addressGroup(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const network = parsed.toByteArray().fill(0, IPV6_PREFIX_BITS / 8);
  return `${ipaddr.fromByteArray(network).toString()}/${IPV6_PREFIX_BITS}`;
}
