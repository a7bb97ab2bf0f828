import { Pool } from 'undici';

export interface LoadResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** One request: its method is POST, its answer must have this status. */
export interface LoadRequest {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly expectedStatus: number;
}

/** Keeps `connections` requests under way for a while and counts what was answered as it should be. */
export async function load(
  origin: string,
  next: () => LoadRequest,
  { connections, durationMs }: { connections: number; durationMs: number },
): Promise<LoadResult> {
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const latenciesMs: number[] = [];
  const startedAt = performance.now();
  const worker = async (): Promise<void> => {
    while (performance.now() - startedAt < durationMs) {
      const { path, headers, body, expectedStatus } = next();
      const sentAt = performance.now();
      const answer = await pool.request({ method: 'POST', path, headers, body });
      await answer.body.dump();
      if (answer.statusCode !== expectedStatus) throw new Error(`${path} was answered ${answer.statusCode}.`);
      latenciesMs.push(performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const elapsedMs = performance.now() - startedAt;
  await pool.close();
  latenciesMs.sort((left, right) => left - right);
  const at = (share: number): number => latenciesMs[Math.floor(latenciesMs.length * share)] ?? Number.NaN;
  return { perSecond: (latenciesMs.length / elapsedMs) * 1_000, p50Ms: at(0.5), p99Ms: at(0.99) };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
