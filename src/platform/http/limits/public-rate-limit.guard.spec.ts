import type { ExecutionContext } from '@nestjs/common';
import { afterEach, expect, it, vi } from 'vitest';
import type { HttpSettings } from '../http.settings.js';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { PublicRateLimitGuard } from './public-rate-limit.guard.js';

/*
 * Goal: whoever has used up the share of his address is refused before anything is kept of what he names (contract
 * 8.23). Method: what the limiters are asked to count.
 */

afterEach(() => vi.restoreAllMocks());

const asking = (id: string): ExecutionContext => {
  const reply = { header: () => reply };
  const http = { getRequest: () => ({ ip: '198.51.100.7', params: { id } }), getResponse: () => reply };
  return { switchToHttp: () => http } as unknown as ExecutionContext;
};

it('an address over its limit makes nothing to remember, whatever it invents', async () => {
  const guard = new PublicRateLimitGuard({
    rateLimitPublic: { count: 2, windowMs: 60_000 },
  } as HttpSettings);
  for (let request = 0; request < 20; request += 1)
    expect(await guard.canActivate(asking(`a${request}`))).toBe(true);
  const counted = vi.spyOn(RateLimiterMemory.prototype, 'consume');
  for (let request = 0; request < 50; request += 1)
    await expect(guard.canActivate(asking(`b${request}`))).rejects.toMatchObject({
      code: 'request.rate_limited',
    });
  expect(new Set(counted.mock.calls.map(([key]) => key))).toEqual(new Set(['198.51.100.7']));
});

it('what is refused for one payment takes nothing from the others', async () => {
  const guard = new PublicRateLimitGuard({
    rateLimitPublic: { count: 2, windowMs: 60_000 },
  } as HttpSettings);
  for (let request = 0; request < 50; request += 1) await guard.canActivate(asking('a')).catch(() => null);
  for (let request = 0; request < 18; request += 1)
    expect(await guard.canActivate(asking(`b${request}`))).toBe(true);
  await expect(guard.canActivate(asking('c'))).rejects.toMatchObject({ code: 'request.rate_limited' });
});
