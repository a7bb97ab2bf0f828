import { describe, expect, it } from 'vitest';
import { FreshLookup } from './fresh-lookup.js';

/** A source whose answers are given by hand, each with the value that was true when it was asked. */
function source() {
  const asked: { key: string; answer: (value: string) => void; fail: (error: Error) => void }[] = [];
  const lookup = new FreshLookup<string>(
    (key) => new Promise((answer, fail) => asked.push({ key, answer, fail })),
  );
  return { asked, lookup };
}

/** Lets every promise that can go on do so. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('FreshLookup', () => {
  it('asks at once, and again for the next caller', async () => {
    const { asked, lookup } = source();
    const first = lookup.get('a');
    asked[0]!.answer('one');
    expect(await first).toBe('one');
    await settled();
    const second = lookup.get('a');
    expect(asked).toHaveLength(2);
    asked[1]!.answer('two');
    expect(await second).toBe('two');
  });

  it('answers those who come meanwhile together, from a look-up that began after they came', async () => {
    const { asked, lookup } = source();
    const first = lookup.get('a');
    const later = [lookup.get('a'), lookup.get('a'), lookup.get('a')];
    expect(asked).toHaveLength(1);
    asked[0]!.answer('old');
    expect(await first).toBe('old');
    await settled();
    expect(asked).toHaveLength(2);
    const latest = lookup.get('a');
    asked[1]!.answer('new');
    expect(await Promise.all(later)).toEqual(['new', 'new', 'new']);
    await settled();
    asked[2]!.answer('newest');
    expect(await latest).toBe('newest');
  });

  it('does not let one key wait for another', () => {
    const { asked, lookup } = source();
    void lookup.get('a');
    void lookup.get('b');
    expect(asked.map(({ key }) => key)).toEqual(['a', 'b']);
  });

  it('passes a failure to those who asked, and asks anew for the others', async () => {
    const { asked, lookup } = source();
    const first = lookup.get('a');
    const second = lookup.get('a');
    asked[0]!.fail(new Error('away'));
    await expect(first).rejects.toThrow('away');
    await settled();
    asked[1]!.answer('back');
    expect(await second).toBe('back');
  });
});
