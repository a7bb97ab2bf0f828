import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';

/** How long a webhook may take to come, and how old a signed timestamp may be, in milliseconds. */
const WEBHOOK_TIMEOUT_MS = 15_000;
const MAX_AGE_MS = 5 * 60_000;

/** The store's secrets, as its merchant was shown them. */
export interface MerchantSecrets {
  readonly webhookSecret: string;
  readonly signingSecret: string;
}

export interface ReceivedWebhook {
  /** `webhook-id`: the same over all attempts, so that a merchant can act on each event once. */
  readonly id: string;
  readonly event: string;
  /** When it was here, on the clock of `performance.now()`. */
  readonly receivedAtMs: number;
  readonly products: unknown;
  readonly isServiceSignatureRight: boolean;
  readonly isStandardSignatureRight: boolean;
}

/** A merchant's webhook endpoint on loopback, written as a merchant should: check the signature, then read the body. */
export class DemoMerchant {
  private readonly received = new Map<string, ReceivedWebhook>();
  private wakeUp = (): void => undefined;
  private secrets: MerchantSecrets | null = null;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<DemoMerchant> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    const { port } = server.address() as AddressInfo;
    const merchant = new DemoMerchant(server, `http://127.0.0.1:${port}/webhooks/joma`);
    server.on('request', (request, response) => void merchant.receive(request, response));
    return merchant;
  }

  /** Everything that is not signed with these secrets is answered 401. */
  trust(secrets: MerchantSecrets): void {
    this.secrets = secrets;
  }

  /** The webhook about a payment, whether it has come or is to come. */
  async webhookAbout(paymentId: string, event = 'payment.verified'): Promise<ReceivedWebhook> {
    const deadlineMs = Date.now() + WEBHOOK_TIMEOUT_MS;
    for (;;) {
      const webhook = this.received.get(`${event} ${paymentId}`);
      if (webhook !== undefined) return webhook;
      const leftMs = deadlineMs - Date.now();
      if (leftMs <= 0) throw new Error(`no ${event} about payment ${paymentId} came within 15 seconds`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leftMs);
        this.wakeUp = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  /** Posts to this endpoint what anybody could make up; the status of the answer. */
  async answerToForgery(): Promise<number> {
    const headers = { 'Content-Type': 'application/json', 'X-Service-Signature': '0'.repeat(64) };
    const answer = await fetch(this.url, { method: 'POST', headers, body: '{"event":"payment.verified"}' });
    return answer.status;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // The signature covers the bytes as they came: parsing them first and writing them again would change them.
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const receivedAtMs = performance.now();
    const isServiceSignatureRight = this.checkServiceSignature(request, body);
    const isStandardSignatureRight = this.checkStandardSignature(request, body);
    if (!isServiceSignatureRight) {
      response.writeHead(401).end();
      return;
    }
    const { paymentId, event, products } = JSON.parse(body.toString('utf8')) as Record<string, unknown>;
    this.received.set(`${String(event)} ${String(paymentId)}`, {
      id: String(request.headers['webhook-id']),
      event: String(event),
      receivedAtMs,
      products,
      isServiceSignatureRight,
      isStandardSignatureRight,
    });
    response.writeHead(204).end();
    this.wakeUp();
  }

  /** `X-Service-Signature`: lower-case hex HMAC-SHA256 of the raw body (specification §5.7). */
  private checkServiceSignature(request: IncomingMessage, body: Buffer): boolean {
    if (this.secrets === null) return false;
    const wanted = createHmac('sha256', this.secrets.webhookSecret).update(body).digest('hex');
    return isSame(String(request.headers['x-service-signature']), wanted);
  }

  /** Standard Webhooks (contract 7.10): HMAC-SHA256 of id, timestamp and body, and not too old, against replays. */
  private checkStandardSignature(request: IncomingMessage, body: Buffer): boolean {
    if (this.secrets === null) return false;
    const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': given } = request.headers;
    if (Math.abs(Date.now() - Number(timestamp) * 1_000) > MAX_AGE_MS) return false;
    const key = Buffer.from(this.secrets.signingSecret.replace('whsec_', ''), 'base64');
    const hmac = createHmac('sha256', key)
      .update(`${String(id)}.${String(timestamp)}.`)
      .update(body);
    const wanted = `v1,${hmac.digest('base64')}`;
    return String(given)
      .split(' ')
      .some((signature) => isSame(signature, wanted));
  }
}

/** In constant time: how long it takes must not tell how much of a guess was right. */
function isSame(given: string, wanted: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(wanted)];
  return left.length === right.length && timingSafeEqual(left, right);
}
