import { describe, expect, it } from 'vitest';
import type { ProblemAnswer } from '../../support/money-answers.js';
import { useShop } from '../../support/use-shop.js';

/* Rules: contract 7.56. */

const { service, shop } = useShop({ replicas: 1 });

describe('GET /api/v1/events', () => {
  it('leaves out events before `since`, which counts for nothing beside `after`', async () => {
    const times: string[] = [];
    for (let index = 0; index < 4; index += 1) {
      const { id } = await shop.create();
      const trxId = `SINCE${String(index).padStart(5, '0')}${shop.store.id.slice(-4)}`.toUpperCase();
      await shop.submit(id, { trxId });
      await shop.receipt({ trxId });
      times.push(service.clock.isoIn(0));
      service.clock.advance(1_000);
    }
    const pull = async (query: string) => {
      const answer = await shop.http.get<{ data: { createdAt: string }[]; nextCursor: string }>(
        `/api/v1/events${query}`,
        shop.store.key,
      );
      expect(answer.status, answer.text).toBe(200);
      return { at: answer.body.data.map(({ createdAt }) => createdAt), cursor: answer.body.nextCursor };
    };
    expect((await pull('')).at).toEqual(times);
    expect((await pull(`?since=${times[2]}`)).at).toEqual(times.slice(2));
    const page = await pull(`?since=${times[1]}&limit=1`);
    expect(page.at).toEqual([times[1]]);
    expect((await pull(`?after=${page.cursor}&since=${times[3]}`)).at).toEqual(times.slice(2));
    const later = await pull(`?since=${service.clock.isoIn(60_000)}`);
    expect(later.at).toEqual([]);
    expect((await pull(`?after=${later.cursor}`)).at).toEqual([]);
    const wrong = await shop.http.get<ProblemAnswer>('/api/v1/events?since=yesterday', shop.store.key);
    expect([wrong.status, wrong.body.errors![0]!.pointer]).toEqual([400, '/since']);
  });
});
