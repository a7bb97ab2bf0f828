import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from './eventually.js';

/** One POST as it arrived. */
export interface LedgerEntry {
  readonly webhookId: string;
  readonly paymentId: string;
  readonly text: string;
}

/** A merchant's endpoint that outlives the service, and remembers every POST it was ever sent, answered or not. */
export interface WebhookLedger {
  readonly url: string;
  readonly entries: readonly LedgerEntry[];
  timesOf(paymentId: string): number;
  waitFor(what: string, isIt: () => boolean): Promise<void>;
  close(): Promise<void>;
}

export interface WebhookLedgerOptions {
  /** Called for each POST after it was written down; by default it is answered 200 at once. */
  readonly answer?: (response: ServerResponse, number: number) => void;
}

const answer200 = (response: ServerResponse) => void response.writeHead(200).end('ok');

export async function startWebhookLedger({
  answer = answer200,
}: WebhookLedgerOptions = {}): Promise<WebhookLedger> {
  const entries: LedgerEntry[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const { paymentId } = JSON.parse(text) as { paymentId: string };
      entries.push({ webhookId: String(request.headers['webhook-id']), paymentId, text });
      answer(response, entries.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/webhooks/joma`,
    entries,
    timesOf: (paymentId) => entries.filter((entry) => entry.paymentId === paymentId).length,
    waitFor: async (what, isIt) => void (await eventually(isIt, Boolean, what)),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
