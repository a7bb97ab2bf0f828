import { describe, expect, it } from 'vitest';
import { PictureTurns } from './picture-turns.js';

/*
 * Goal: one picture is read at a time, and a store with many pictures delays another store by one of them (contract
 * 14.39). Method: work that ends when the test says so.
 */

function work() {
  let end: () => void = () => undefined;
  const done = new Promise<void>((resolve) => (end = resolve));
  return { end, done };
}
const turnsOfLoop = () => new Promise((resolve) => setImmediate(resolve));

describe('turns of pictures', () => {
  it('are one at a time, and a store that waits comes before the next picture of the same store', async () => {
    const turns = new PictureTurns();
    const begun: string[] = [];
    const works = Object.fromEntries(['a1', 'a2', 'a3', 'b1'].map((name) => [name, work()]));
    const read = (storeId: string, name: string) =>
      turns.take(storeId, () => {
        begun.push(name);
        return works[name]!.done;
      });
    const all = [read('a', 'a1'), read('a', 'a2'), read('a', 'a3'), read('b', 'b1')];
    for (const name of ['a1', 'b1', 'a2', 'a3']) {
      await turnsOfLoop();
      expect(begun.at(-1)).toBe(name);
      works[name]!.end();
    }
    await Promise.all(all);
    expect(begun).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  it('end without having begun when patience is over, or too many wait', async () => {
    const turns = new PictureTurns(5);
    const long = work();
    const first = turns.take('a', () => long.done);
    expect(await turns.take('b', () => Promise.resolve('read'))).toBe('busy');
    const ofOne = Promise.all([1, 2, 3].map(() => turns.take('c', () => Promise.resolve('read'))));
    expect(await ofOne).toEqual(['busy', 'busy', 'busy']);
    long.end();
    await first;
    expect(await turns.take('b', () => Promise.resolve('read'))).toBe('read');
  });

  it('go on after work that fails', async () => {
    const turns = new PictureTurns();
    await expect(turns.take('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await turns.take('a', () => Promise.resolve('read'))).toBe('read');
  });
});
