import ipaddr from 'ipaddr.js';

/** Bits of an IPv6 address that its owner does not choose: a household or a server gets a /64 at least. */
const IPV6_PREFIX_BITS = 64;

/** Some proxies write the port behind the address; with it, each connection would be another caller. */
const WITH_PORT = /^(?:(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}|\[([^\]]{1,64})\](?::\d{1,5})?)$/;

/** All that is no address; else whoever can put text into `X-Forwarded-For` would be somebody new each time. */
const NO_ADDRESS = 'unknown';

/**
 * The network that counts as one address: an IPv4 address, also when it is mapped into IPv6, and the /64 of an IPv6
 * address, because its owner has 2^64 of them; without the port. What is no address counts as one all together.
 *
 * @param ipv6PrefixBits a multiple of 8
 */
export function addressGroup(address: string, ipv6PrefixBits = IPV6_PREFIX_BITS): string {
  const [, ipv4, ipv6] = WITH_PORT.exec(address) ?? [];
  const plain = ipv4 ?? ipv6 ?? address;
  if (!ipaddr.isValid(plain)) return NO_ADDRESS;
  const parsed = ipaddr.process(plain);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const network = parsed.toByteArray().fill(0, ipv6PrefixBits / 8);
  return `${ipaddr.fromByteArray(network).toString()}/${ipv6PrefixBits}`;
}
