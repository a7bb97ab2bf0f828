import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/**
 * Listens there for a moment, and answers the port: for 0 the one that the system chose.
 *
 * @throws Error of the system when nobody can listen there
 */
export async function tryAddress(port: number, host: string): Promise<number> {
  const probe = createServer();
  try {
    probe.listen(port, host);
    await once(probe, 'listening');
    return (probe.address() as AddressInfo).port;
  } finally {
    if (probe.listening) await new Promise((resolve) => probe.close(resolve));
  }
}
