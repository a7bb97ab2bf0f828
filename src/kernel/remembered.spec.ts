import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Remembered } from './remembered.js';

describe('Remembered', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
    // Any instant but the first: the cache takes 0 for no time at all.
    vi.advanceTimersByTime(1);
  });
  afterEach(() => vi.useRealTimers());

  it('answers the version that was read, and no other', () => {
    const remembered = new Remembered<string>(10, 1_000);
    expect(remembered.has('a')).toBe(false);
    remembered.keep('a', '1', 'old');
    expect(remembered.get('a', '1')).toBe('old');
    expect(remembered.get('a', '2')).toBeUndefined();
    remembered.keep('a', '2', 'new');
    expect(remembered.get('a', '1')).toBeUndefined();
    expect(remembered.get('a', '2')).toBe('new');
  });

  it('forgets after its time, counted from the read', () => {
    const remembered = new Remembered<string>(10, 1_000);
    remembered.keep('a', '1', 'value');
    vi.advanceTimersByTime(1_000);
    expect(remembered.get('a', '1')).toBe('value');
    vi.advanceTimersByTime(1);
    expect(remembered.has('a')).toBe(false);
    expect(remembered.get('a', '1')).toBeUndefined();
  });

  it('keeps the latest ones', () => {
    const remembered = new Remembered<number>(2, 1_000);
    remembered.keep('a', '1', 1);
    remembered.keep('b', '1', 2);
    remembered.keep('a', '1', 3);
    remembered.keep('c', '1', 4);
    expect(['a', 'b', 'c'].map((key) => remembered.get(key, '1'))).toEqual([3, undefined, 4]);
  });
});
