import { connect, type Socket } from 'node:net';

export interface RawConnection {
  readonly socket: Socket;
  /** All that came back so far. */
  readonly received: () => string;
  /** All that came back, once the service has hung up; rejects where the connection breaks. */
  readonly end: Promise<string>;
}

/** Sends bytes to a service as they are, behind no client that would set them right. */
export function openConnection(url: string, ...parts: readonly (string | Buffer)[]): RawConnection {
  const { hostname, port } = new URL(url);
  let received = '';
  const socket = connect(Number(port), hostname, () => {
    for (const part of parts) socket.write(part);
  });
  socket.setEncoding('utf8').on('data', (chunk) => (received += String(chunk)));
  const end = new Promise<string>((resolve, reject) => {
    socket.on('error', reject).on('close', () => resolve(received));
  });
  // A test that does not wait for the end may break the connection.
  end.catch(() => undefined);
  return { socket, received: () => received, end };
}
