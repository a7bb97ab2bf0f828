import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { characterCount } from '../../kernel/text.js';

/** `WEBHOOK_ALLOW_PRIVATE` (contract 7.67 and 8.13): lifts every rule below but those named "always". */
export interface OutboundPolicy {
  readonly allowPrivate: boolean;
}

/** `reason` is the end of a sentence that begins with "The URL", fit for the `detail` of a 400. */
export type UrlVerdict = { allowed: true; url: URL } | { allowed: false; reason: string };

/**
 * `private`: not public unicast (loopback, private, link-local, multicast, documentation, transition mechanisms …).
 * `metadata`: a cloud's metadata or platform service. `invalid`: not an IP address in its plain spelling.
 */
export type AddressVerdict =
  { allowed: true } | { allowed: false; reason: 'private' | 'metadata' | 'invalid' };

/** Characters of a URL (contract 1.17). */
const MAX_URL_LENGTH = 2048;
const PUBLIC_PORTS: ReadonlySet<string> = new Set(['80', '443', '8443']);

/** Names under which clouds serve credentials to whoever asks. Refused always, whatever they resolve to today. */
const METADATA_NAMES: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
  'instance-data',
  'instance-data.ec2.internal',
]);

const LOCAL_NAMES: ReadonlySet<string> = new Set([
  'localhost',
  'localhost.localdomain',
  'localhost4',
  'localhost6',
  'ip6-localhost',
  'ip6-loopback',
]);

/**
 * IPv4 metadata and platform services. 168.63.129.16 lies in public space, the others in link-local or shared space.
 */
const METADATA_IPV4 = [
  '169.254.169.0/24', // AWS, Google, Azure, Oracle, OpenStack, DigitalOcean: .254, and the platform's DNS and clock
  '169.254.170.0/24', // AWS: container (.2) and pod (.23) credentials
  '169.254.0.23/32', // Tencent
  '169.254.42.42/32', // Scaleway
  '168.63.129.16/32', // Azure platform
  '100.100.100.200/32', // Alibaba
  '192.0.0.192/32', // Oracle classic
].map((range) => ipaddr.IPv4.parseCIDR(range));

/** IPv6 metadata services. Those that carry 169.254.169.254 in their last 32 bits are found as an embedding. */
const METADATA_IPV6 = [
  'fd00:ec2::/64', // AWS: ::254, ::23
  'fd20:ce::254/128', // Google
  'fd00:42::42/128', // Scaleway
].map((range) => ipaddr.IPv6.parseCIDR(range));

const GLOBAL_UNICAST_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
const NAT64_IPV6 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/**
 * Where an IPv4 address can hide in the 16 bytes of an IPv6 one: the six places of RFC 6052 (/96 is also where
 * IPv4-mapped, IPv4-compatible, IPv4-translated and ISATAP put it; /32 is where Teredo keeps its server) and 6to4.
 */
const EMBEDDED_IPV4_BYTES = [
  [12, 13, 14, 15],
  [9, 10, 11, 12],
  [7, 9, 10, 11],
  [6, 7, 9, 10],
  [5, 6, 7, 9],
  [4, 5, 6, 7],
  [2, 3, 4, 5],
] as const;

/**
 * Whether a store may name this URL for its webhooks (contract 7.61). Called when the URL is saved, tested and
 * delivered to, so that all three agree. Always refused: what is no http or https URL, userinfo, control characters,
 * more than 2,048 characters, metadata addresses and names. Refused without `allowPrivate`: ports other than 80, 443
 * and 8443, address literals in any spelling, `localhost`.
 *
 * The URL it returns is normalised (WHATWG), without the dot that may end a host name. A host name that passes proves
 * nothing about where it leads: that is for {@link addressVerdict}, on each address it resolves to.
 */
export function checkWebhookUrl(input: string, policy: OutboundPolicy): UrlVerdict {
  if (characterCount(input) > MAX_URL_LENGTH)
    return refused(`must not be longer than ${MAX_URL_LENGTH} characters`);
  // The parser would drop line breaks and tabs silently, and what users see would not be what is called.
  if (/[\u0000-\u001f\u007f-\u009f]/.test(input)) return refused('must not contain control characters');
  if (!URL.canParse(input)) return refused('must be an absolute http or https URL');
  const url = new URL(input);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return refused('must use http or https');
  if (url.username !== '' || url.password !== '' || hasUserinfo(input)) {
    return refused('must not contain a user name or password');
  }
  const hostReason = refuseHost(url, policy);
  if (hostReason !== null) return refused(hostReason);
  const port = url.port || (url.protocol === 'http:' ? '80' : '443');
  if (!policy.allowPrivate && !PUBLIC_PORTS.has(port)) return refused('must use port 80, 443 or 8443');
  return { allowed: true, url };
}

/**
 * Whether webhooks may go to this address (contract 7.64), as resolved or as connected to. Only public unicast passes,
 * for IPv6 only inside 2000::/3. IPv4-mapped and NAT64 (64:ff9b::/96, which IPv6-only networks give to every IPv4 host)
 * are judged by the IPv4 address inside; 6to4, Teredo, ISATAP and the rest never pass. With `allowPrivate` everything
 * passes but metadata services, in every embedding. A zone (`%eth0`) is not looked at.
 */
export function addressVerdict(address: string, policy: OutboundPolicy): AddressVerdict {
  const parsed = parseAddress(address);
  if (parsed === null) return { allowed: false, reason: 'invalid' };
  if (isMetadata(parsed)) return { allowed: false, reason: 'metadata' };
  if (policy.allowPrivate || isPublicUnicast(parsed)) return { allowed: true };
  return { allowed: false, reason: 'private' };
}

function refused(reason: string): UrlVerdict {
  return { allowed: false, reason };
}

/** Userinfo that the parser drops because it is empty (`http://@host`) is refused like any other. */
function hasUserinfo(input: string): boolean {
  const authority = /^ *[a-z][a-z0-9+.-]*:[\\/]*([^\\/?#]*)/i.exec(input)?.[1];
  return authority !== undefined && authority.includes('@');
}

/** Removes the final dot of the URL's host and gives the reason why the host is refused, or null. */
function refuseHost(url: URL, policy: OutboundPolicy): string | null {
  const hostname = url.hostname.replace(/\.$/, '');
  if (hostname === '' || hostname.split('.').includes('')) return 'must name a host';
  if (hostname !== url.hostname) url.hostname = hostname;
  const literal = literalAddress(hostname);
  if (literal !== null) {
    const verdict = addressVerdict(literal, policy);
    if (!verdict.allowed && verdict.reason === 'metadata') return 'must not name a metadata service';
    return policy.allowPrivate ? null : 'must name a host, not an address';
  }
  if (METADATA_NAMES.has(hostname)) return 'must not name a metadata service';
  if (policy.allowPrivate) return null;
  return LOCAL_NAMES.has(hostname) || hostname.endsWith('.localhost') ? 'must name a public address' : null;
}

/** The IP address that is the host of a parsed URL, without the brackets of IPv6; null for a name. */
export function literalAddress(hostname: string): string | null {
  const address = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(address) === 0 ? null : address;
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * Only the plain spellings that a socket takes without looking anything up. IPv6 is rewritten by the URL parser first,
 * because ipaddr.js reads `::1.2.3.4` (IPv4-compatible) as if it were `::ffff:1.2.3.4` (IPv4-mapped).
 */
function parseAddress(address: string): Address | null {
  const plain = address.replace(/%.*$/, '');
  const family = isIP(plain);
  if (family === 0) return null;
  if (family === 4) return ipaddr.IPv4.parse(plain);
  return ipaddr.IPv6.parse(new URL(`http://[${plain}]`).hostname.slice(1, -1));
}

function isMetadata(address: Address): boolean {
  if (isIPv4(address)) return METADATA_IPV4.some((range) => address.match(range));
  return METADATA_IPV6.some((range) => address.match(range)) || embeddedIPv4(address).some(isMetadata);
}

/**
 * Every IPv4 address that the bits of an IPv6 address could stand for, under any prefix: an operator's own NAT64 prefix
 * cannot be known. So these serve only to find metadata services, where a hit by chance does not matter.
 */
function embeddedIPv4(address: ipaddr.IPv6): ipaddr.IPv4[] {
  const bytes = address.toByteArray();
  const plain = EMBEDDED_IPV4_BYTES.map((places) => places.map((place) => bytes[place] ?? 0));
  const teredoClient = bytes.slice(12).map((byte) => byte ^ 0xff);
  return [...plain, teredoClient].map((octets) => new ipaddr.IPv4(octets));
}

function isPublicUnicast(address: Address): boolean {
  if (isIPv4(address)) return address.range() === 'unicast';
  if (address.isIPv4MappedAddress() || address.match(NAT64_IPV6)) {
    return isPublicUnicast(new ipaddr.IPv4(address.toByteArray().slice(12)));
  }
  return address.match(GLOBAL_UNICAST_IPV6) && address.range() === 'unicast' && !isIsatap(address);
}

/** ISATAP (RFC 5214) marks its interface identifiers with 0000:5efe or 0200:5efe under any prefix. */
function isIsatap(address: ipaddr.IPv6): boolean {
  return ((address.parts[4] ?? 0) & 0xfdff) === 0 && address.parts[5] === 0x5efe;
}

function isIPv4(address: Address): address is ipaddr.IPv4 {
  return address.kind() === 'ipv4';
}
