import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KeptPast, type Span } from './kept-past.js';

const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 8, minute));
const KEPT_FOR_MS = 60_000;

describe('sums of which only the end changes', () => {
  let asked: string[];
  const ask = async ({ from, to }: Span): Promise<number[]> => {
    asked.push(`${from.getUTCMinutes()}-${to.getUTCMinutes()}`);
    return [to.getUTCMinutes() - from.getUTCMinutes()];
  };
  const pastOf = (least: number) =>
    new KeptPast<number>({ keptForMs: KEPT_FOR_MS, worthKeeping: ([sum = 0]) => sum >= least });

  beforeEach(() => {
    asked = [];
    vi.useFakeTimers({ toFake: ['performance'] });
    // Any instant but the first: the cache takes 0 for no time at all.
    vi.advanceTimersByTime(1);
  });
  afterEach(() => vi.useRealTimers());

  it('ask for the past once, and for the rest from there on each time', async () => {
    const past = pastOf(10);
    expect(await past.read('a', { from: at(0), to: at(30) }, at(20), ask)).toEqual([20, 10]);
    expect(await past.read('a', { from: at(0), to: at(31) }, at(21), ask)).toEqual([20, 11]);
    expect(asked).toEqual(['0-20', '20-30', '20-31']);
  });

  it('ask for no rest where all is past, and for what has come since when it is known', async () => {
    const past = pastOf(10);
    expect(await past.read('a', { from: at(0), to: at(30) }, at(30), ask)).toEqual([30]);
    expect(await past.read('a', { from: at(0), to: at(31) }, at(31), ask)).toEqual([30, 1]);
    expect(asked).toEqual(['0-30', '30-31']);
  });

  it('ask for it again after a while', async () => {
    const past = pastOf(10);
    await past.read('a', { from: at(0), to: at(30) }, at(20), ask);
    vi.advanceTimersByTime(KEPT_FOR_MS + 1);
    expect(await past.read('a', { from: at(0), to: at(40) }, at(30), ask)).toEqual([30, 10]);
  });

  it('keep nothing of what costs little', async () => {
    const past = pastOf(100);
    await past.read('a', { from: at(0), to: at(30) }, at(20), ask);
    await past.read('a', { from: at(0), to: at(30) }, at(20), ask);
    expect(asked).toEqual(['0-20', '20-30', '0-20', '20-30']);
  });

  it('are not divided where there is no past, and not mixed up', async () => {
    const past = pastOf(0);
    expect(await past.read('a', { from: at(5), to: at(30) }, at(5), ask)).toEqual([25]);
    await past.read('b', { from: at(0), to: at(30) }, at(20), ask);
    expect(await past.read('c', { from: at(1), to: at(30) }, at(20), ask)).toEqual([19, 10]);
  });
});
