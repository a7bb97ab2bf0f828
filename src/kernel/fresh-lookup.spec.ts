import { describe, expect, it, vi } from 'vitest';
import { FreshLookup } from './fresh-lookup.js';

/** A source whose answers are given by hand, each with the value that was true when it was asked. */
function source(maxRunning?: number) {
  const asked: {
    keys: readonly string[];
    answer: (value: string) => void;
    fail: (error: Error) => void;
  }[] = [];
  const lookup = new FreshLookup<string>(
    (keys) =>
      new Promise((resolve, fail) => {
        const answer = (value: string) => resolve(new Map(keys.map((key) => [key, `${value} ${key}`])));
        asked.push({ keys, answer, fail });
      }),
    maxRunning,
  );
  return { asked, lookup };
}

/** Lets every promise that can go on do so, and the look-ups begin that wait for the end of a turn. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('FreshLookup', () => {
  it('asks at the end of the turn, and again for the next caller', async () => {
    const { asked, lookup } = source();
    const first = lookup.get('a');
    await settled();
    asked[0]!.answer('one');
    expect(await first).toBe('one a');
    await settled();
    const second = lookup.get('a');
    await settled();
    expect(asked).toHaveLength(2);
    asked[1]!.answer('two');
    expect(await second).toBe('two a');
  });

  it('answers those who come meanwhile together, from a look-up that began after they came', async () => {
    const { asked, lookup } = source();
    const first = lookup.get('a');
    await settled();
    const later = [lookup.get('a'), lookup.get('b'), lookup.get('a')];
    await settled();
    expect(asked).toHaveLength(1);
    asked[0]!.answer('old');
    expect(await first).toBe('old a');
    await settled();
    expect(asked.map(({ keys }) => keys)).toEqual([['a'], ['a', 'b']]);
    const latest = lookup.get('a');
    asked[1]!.answer('new');
    expect(await Promise.all(later)).toEqual(['new a', 'new b', 'new a']);
    await settled();
    asked[2]!.answer('newest');
    expect(await latest).toBe('newest a');
  });

  it('asks for everybody of one turn at once', async () => {
    const { asked, lookup } = source();
    const all = ['a', 'b', 'c'].map((key) => lookup.get(key));
    await settled();
    expect(asked.map(({ keys }) => keys)).toEqual([['a', 'b', 'c']]);
    asked[0]!.answer('one');
    expect(await Promise.all(all)).toEqual(['one a', 'one b', 'one c']);
  });

  it('knows nothing of what was not found', async () => {
    const lookup = new FreshLookup<string>(() => Promise.resolve(new Map()));
    expect(await lookup.get('a')).toBeUndefined();
  });

  it('passes a failure to those who asked, and asks anew for the others', async () => {
    const { asked, lookup } = source();
    const first = lookup.get('a');
    await settled();
    const second = lookup.get('a');
    asked[0]!.fail(new Error('away'));
    await expect(first).rejects.toThrow('away');
    await settled();
    asked[1]!.answer('back');
    expect(await second).toBe('back a');
  });

  it('asks again after a failure that nobody waited behind', async () => {
    const { asked, lookup } = source();
    const first = lookup.get('a');
    await settled();
    asked[0]!.fail(new Error('away'));
    await expect(first).rejects.toThrow('away');
    await settled();
    const second = lookup.get('a');
    await settled();
    asked[1]!.answer('back');
    expect(await second).toBe('back a');
  });

  it('has one look-up under way, and another where it may when that takes long', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    try {
      const { asked, lookup } = source(2);
      const answers = [];
      const keys = () => asked.map((one) => one.keys);
      for (const key of ['a', 'b', 'c']) {
        answers.push(lookup.get(key));
        await settled();
      }
      expect(keys()).toEqual([['a']]);
      await vi.advanceTimersByTimeAsync(21);
      await settled();
      expect(keys()).toEqual([['a'], ['b', 'c']]);
      answers.push(lookup.get('d'));
      await vi.advanceTimersByTimeAsync(100);
      await settled();
      expect(keys()).toEqual([['a'], ['b', 'c']]);
      asked[1]!.answer('two');
      await settled();
      expect(keys()).toEqual([['a'], ['b', 'c'], ['d']]);
      asked[2]!.answer('three');
      asked[0]!.answer('one');
      expect(await Promise.all(answers)).toEqual(['one a', 'two b', 'two c', 'three d']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('goes past one that hangs', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    try {
      const { asked, lookup } = source();
      const hung = lookup.get('a');
      await settled();
      const next = lookup.get('b');
      await vi.advanceTimersByTimeAsync(1_999);
      expect(asked).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(1);
      await settled();
      asked[1]!.answer('two');
      expect(await next).toBe('two b');
      asked[0]!.fail(new Error('away'));
      await expect(hung).rejects.toThrow('away');
    } finally {
      vi.useRealTimers();
    }
  });

  it('starts the next one as soon as one that was quick has ended', async () => {
    const { asked, lookup } = source(2);
    const first = lookup.get('a');
    await settled();
    const second = lookup.get('b');
    await settled();
    expect(asked).toHaveLength(1);
    asked[0]!.answer('one');
    expect(await first).toBe('one a');
    await settled();
    asked[1]!.answer('two');
    expect(await second).toBe('two b');
  });
});
