import { describe, expect, it } from 'vitest';
import { once } from './once.js';

describe('What is made once', () => {
  it('is made when it is asked for, and the same for all', async () => {
    let count = 0;
    const made = once(async () => (count += 1));
    expect(count).toBe(0);
    expect(await Promise.all([made(), made()])).toEqual([1, 1]);
    expect(await made()).toBe(1);
  });

  it('is made anew after it failed; who asked together fails together', async () => {
    let count = 0;
    const made = once(async () => {
      count += 1;
      if (count === 1) throw new Error('not yet');
      return count;
    });
    const first = await Promise.allSettled([made(), made()]);
    expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await made()).toBe(2);
  });
});
