import { describe, expect, it, vi } from 'vitest';
import { serviceUnavailable } from '../../kernel/domain-error.js';
import { GroupedWrites } from './grouped-writes.js';

/** A database whose statements end by hand. */
function database(worthASecond?: number) {
  const writes: { rows: readonly string[]; succeed: () => void; fail: (error: Error) => void }[] = [];
  const grouped = new GroupedWrites<string>(
    (rows) => new Promise((succeed, fail) => writes.push({ rows, succeed: () => succeed([]), fail })),
    worthASecond,
  );
  const rows = () => writes.map((write) => write.rows);
  return { grouped, writes, rows };
}

/** Lets every promise that can go on do so. */
const settled = () => new Promise((resolve) => setImmediate(resolve));
const away = () => serviceUnavailable.saying('Away.');

describe('GroupedWrites', () => {
  it('writes at once while nothing is under way, and what comes meanwhile together', async () => {
    const { grouped, writes, rows } = database();
    const all = ['a', 'b', 'c', 'd', 'e'].map((row) => grouped.add(row));
    expect(rows()).toEqual([['a']]);
    writes[0]!.succeed();
    await all[0];
    await settled();
    expect(rows()).toEqual([['a'], ['b', 'c', 'd', 'e']]);
    writes[1]!.succeed();
    await Promise.all(all);
  });

  it('begins a second statement beside the first when many rows wait, and no third', async () => {
    const { grouped, writes, rows } = database();
    const all = Array.from({ length: 80 }, (_, index) => grouped.add(String(index)));
    expect(rows().map(({ length }) => length)).toEqual([1, 32]);
    writes[0]!.succeed();
    await settled();
    expect(rows().map(({ length }) => length)).toEqual([1, 32, 47]);
    for (const write of writes) write.succeed();
    await Promise.all(all);
  });

  it('begins the second one with fewer rows where its caller says so', async () => {
    const { grouped, writes, rows } = database(4);
    const all = Array.from({ length: 7 }, (_, index) => grouped.add(String(index)));
    expect(rows().map(({ length }) => length)).toEqual([1, 4]);
    for (const write of writes) write.succeed();
    await settled();
    expect(rows().map(({ length }) => length)).toEqual([1, 4, 2]);
    writes[2]!.succeed();
    await Promise.all(all);
  });

  it('does not wait for one that takes long', async () => {
    const { grouped, writes, rows } = database();
    const clock = vi.spyOn(performance, 'now').mockReturnValue(1_000);
    const all = [grouped.add('a'), grouped.add('b')];
    clock.mockReturnValue(1_021);
    all.push(grouped.add('c'));
    expect(rows()).toEqual([['a'], ['b', 'c']]);
    for (const write of writes) write.succeed();
    await Promise.all(all);
    clock.mockRestore();
  });

  it('does not wait for one that takes long, also when nobody else comes', async () => {
    const { grouped, writes, rows } = database();
    const all = [grouped.add('a'), grouped.add('b'), grouped.add('c')];
    expect(rows()).toEqual([['a']]);
    await vi.waitFor(() => expect(rows()).toEqual([['a'], ['b', 'c']]));
    for (const write of writes) write.succeed();
    await Promise.all(all);
  });

  it('goes past those that hang', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    try {
      const { grouped, writes, rows } = database();
      const all = [grouped.add('a'), grouped.add('b')];
      await vi.advanceTimersByTimeAsync(21);
      all.push(grouped.add('c'));
      await vi.advanceTimersByTimeAsync(1_900);
      expect(rows()).toEqual([['a'], ['b']]);
      await vi.advanceTimersByTimeAsync(100);
      expect(rows()).toEqual([['a'], ['b'], ['c']]);
      // They end after all, and nothing is counted twice.
      for (const write of writes) write.succeed();
      await Promise.all(all);
      all.push(grouped.add('d'), grouped.add('e'));
      expect(rows().slice(3)).toEqual([['d']]);
      for (const write of writes) write.succeed();
      await vi.advanceTimersByTimeAsync(0);
      for (const write of writes) write.succeed();
      await Promise.all(all);
    } finally {
      vi.useRealTimers();
    }
  });

  it('says that a row is written only when it is', async () => {
    const { grouped, writes } = database();
    let written = false;
    const first = grouped.add('a').then(() => (written = true));
    await settled();
    expect(written).toBe(false);
    writes[0]!.succeed();
    await first;
  });

  it('writes no more than 128 rows with one statement', async () => {
    const { grouped, writes, rows } = database();
    const all = Array.from({ length: 202 }, (_, index) => grouped.add(String(index)));
    writes[0]!.succeed();
    writes[1]!.succeed();
    await settled();
    expect(rows().map(({ length }) => length)).toEqual([1, 32, 128, 41]);
    writes[2]!.succeed();
    writes[3]!.succeed();
    await Promise.all(all);
  });

  it('lets a row that is refused fail alone', async () => {
    const { grouped, writes, rows } = database();
    const all = ['a', 'good', 'bad', 'fine'].map((row) => grouped.add(row));
    const outcomes = Promise.allSettled(all);
    writes[0]!.succeed();
    await settled();
    writes[1]!.fail(new Error('one of them'));
    for (const [index, verdict] of [null, new Error('bad'), null].entries()) {
      await settled();
      const write = writes[2 + index]!;
      if (verdict === null) write.succeed();
      else write.fail(verdict);
    }
    expect((await outcomes).map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    await expect(all[2]).rejects.toThrow('bad');
    expect(rows().slice(2)).toEqual([['good'], ['bad'], ['fine']]);
  });

  it('tries nothing again of which nobody knows what became of it', async () => {
    const { grouped, writes } = database();
    const all = ['a', 'b', 'c'].map((row) => grouped.add(row));
    const outcomes = Promise.allSettled(all);
    writes[0]!.succeed();
    await settled();
    writes[1]!.fail(away());
    expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(writes).toHaveLength(2);
  });

  it('goes on after a failure', async () => {
    const { grouped, writes } = database();
    const first = grouped.add('a');
    writes[0]!.fail(away());
    await expect(first).rejects.toThrow('Away.');
    await settled();
    const second = grouped.add('b');
    writes[1]!.succeed();
    await second;
  });
});
