import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

const POLL_INTERVAL_MS = 50;

/** A merchant on loopback that notes when it heard of each payment. */
export class LoadMerchant {
  private readonly arrivedAtMs = new Map<string, number>();
  private readonly answeredAtMs = new Map<string, number>();
  private readonly expected = new Set<string>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<LoadMerchant> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        response.writeHead(204).end();
        merchant.note(Buffer.concat(chunks).toString('utf8'));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const merchant = new LoadMerchant(server, `http://127.0.0.1:${port}/`);
    return merchant;
  }

  /** Before the receipt sets out: its webhook can be here before its answer. */
  expect(paymentId: string): void {
    this.expected.add(paymentId);
  }

  answered(paymentId: string): void {
    this.answeredAtMs.set(paymentId, performance.now());
  }

  /** Waits for what has not come yet; the times are sorted. One that came before the answer took no time. */
  async settled(timeoutMs: number): Promise<{ waitsMs: number[]; expected: number }> {
    const deadline = performance.now() + timeoutMs;
    const isMissing = () => [...this.answeredAtMs.keys()].some((id) => !this.arrivedAtMs.has(id));
    while (isMissing() && performance.now() < deadline) await wait(POLL_INTERVAL_MS);
    const waitsMs = [...this.answeredAtMs]
      .flatMap(([id, answeredAtMs]) => {
        const arrivedAtMs = this.arrivedAtMs.get(id);
        return arrivedAtMs === undefined ? [] : [Math.max(0, arrivedAtMs - answeredAtMs)];
      })
      .sort((left, right) => left - right);
    return { waitsMs, expected: this.answeredAtMs.size };
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private note(text: string): void {
    try {
      const { paymentId } = JSON.parse(text) as { paymentId?: string };
      if (paymentId !== undefined && this.expected.has(paymentId) && !this.arrivedAtMs.has(paymentId))
        this.arrivedAtMs.set(paymentId, performance.now());
    } catch {
      // A post that is no event of ours is not counted.
    }
  }
}
