import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from './eventually.js';

export interface ReceivedWebhook {
  readonly headers: IncomingHttpHeaders;
  /** The exact bytes. */
  readonly raw: Buffer;
  readonly body: Record<string, unknown>;
}

/** A merchant's endpoint on loopback that keeps what it got. */
export interface MerchantReceiver {
  readonly url: string;
  readonly received: readonly ReceivedWebhook[];
  /** Decides the next answers; the first one is for the next request. Afterwards it answers 200. */
  answerNext(...answers: ((response: ServerResponse) => void)[]): void;
  waitFor(count: number): Promise<readonly ReceivedWebhook[]>;
  /** Waits for the first webhook of a payment, and answers all of them. */
  webhooksOf(paymentId: string): Promise<[ReceivedWebhook, ...ReceivedWebhook[]]>;
  close(): Promise<void>;
}

export async function startMerchantReceiver(): Promise<MerchantReceiver> {
  const received: ReceivedWebhook[] = [];
  const planned: ((response: ServerResponse) => void)[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks);
      received.push({
        headers: request.headers,
        raw,
        body: JSON.parse(raw.toString('utf8')) as Record<string, unknown>,
      });
      const answer = planned.shift();
      if (answer === undefined) response.writeHead(200).end('ok');
      else answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/webhooks/joma`,
    received,
    answerNext: (...answers) => planned.push(...answers),
    waitFor: async (count) => {
      await eventually(
        () => received.length,
        (length) => length >= count,
        `${count} webhooks`,
      );
      return received;
    },
    webhooksOf: async (paymentId) => {
      const found = () => received.filter(({ body }) => body['paymentId'] === paymentId);
      await eventually(
        () => found().length,
        (length) => length > 0,
        'the webhook',
      );
      return found() as [ReceivedWebhook, ...ReceivedWebhook[]];
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
