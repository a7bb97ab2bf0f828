import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { TestDatabase } from './test-database.js';

/** A line to the database server that can be cut and mended, as a network or a restart of the server does. */
export interface DatabaseLine {
  /** The same database, over this line. */
  readonly database: TestDatabase;
  /** Ends all connections and refuses new ones. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  /**
   * Nothing comes or goes any more on the connections that there are, and neither end is told; new ones work. Answers
   * how many.
   */
  silence(): number;
}

/** The line must be cut when it is no longer needed. */
export async function startDatabaseLine(database: TestDatabase): Promise<DatabaseLine> {
  const server = new URL(database.url);
  const sockets = new Set<Socket>();
  const line = createServer((near) => {
    const far = connect(Number(server.port || 5432), server.hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  const listen = (port: number) => new Promise<void>((resolve) => line.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = line.address() as AddressInfo;
  const address = new URL(database.url);
  address.hostname = '127.0.0.1';
  address.port = String(port);
  return {
    database: { ...database, url: address.href },
    cut: async () => {
      const closed = new Promise((resolve) => line.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    mend: () => listen(port),
    silence: () => {
      for (const socket of sockets) {
        socket.unpipe();
        // Read and thrown away, so that the sender goes on believing.
        socket.resume();
      }
      return sockets.size / 2;
    },
  };
}
