import { Client } from 'pg';
import { vi } from 'vitest';

/** Counts how often statements of these names are asked, by every service of this process; until mocks are restored. */
export function countStatements(...names: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with the client it was called on
  const query = Client.prototype.query as (this: Client, ...parameters: unknown[]) => unknown;
  vi.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...parameters: unknown[]) {
    const { name } = parameters[0] as { name?: string };
    if (name !== undefined && names.includes(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
    return query.apply(this, parameters) as never;
  });
  return counts;
}
