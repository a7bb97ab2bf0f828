import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Whether an address lies in one of these addresses or networks; IPv4 that is mapped into IPv6 counts as IPv4. */
export function isInNetworks(address: string, networks: readonly string[]): boolean {
  const parsed = parse(address);
  if (parsed === null) return false;
  return networks.some((network) => {
    const [base = '', bits] = network.split('/');
    const parsedBase = parse(base);
    if (parsedBase?.kind() !== parsed.kind()) return false;
    const all = parsedBase.kind() === 'ipv4' ? 32 : 128;
    return parsed.match(parsedBase, bits === undefined ? all : Number(bits));
  });
}

const LOOPBACK = ['127.0.0.0/8', '::1'];

export function isLoopback(address: string): boolean {
  return isInNetworks(address, LOOPBACK);
}

function parse(address: string): Address | null {
  return ipaddr.isValid(address) ? ipaddr.process(address) : null;
}
