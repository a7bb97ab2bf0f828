import { describe, expect, it } from 'vitest';
import { type DeliveryOutcome, Outcomes } from './outcomes.js';

const released = (deliveryId: string): DeliveryOutcome => ({
  deliveryId,
  storeId: 'store',
  leaseToken: 'lease',
  kind: 'released',
  delayMs: 0,
});
const ids = (batch: readonly DeliveryOutcome[]) => batch.map(({ deliveryId }) => deliveryId);

/** A database whose writes end by hand. */
function database() {
  const writes: { batch: string[]; again: boolean; succeed: () => void; fail: (error: Error) => void }[] = [];
  const written: string[][] = [];
  const troubles: { error: unknown; abandoned: string | null }[] = [];
  let arrived: (() => void) | null = null;
  const outcomes = new Outcomes({
    write: (batch, again) =>
      new Promise((succeed, fail) => {
        writes.push({ batch: ids(batch), again, succeed, fail });
        arrived?.();
      }),
    isTemporary: (error) => error instanceof Error && error.message === 'away',
    onWritten: (batch) => written.push(ids(batch)),
    onTrouble: (error, abandoned) => troubles.push({ error, abandoned: abandoned?.deliveryId ?? null }),
  });
  /** The write of that number, waiting for it when it has not been tried yet. */
  const write = async (index: number) => {
    while (writes.length <= index) await new Promise<void>((resolve) => (arrived = resolve));
    return writes[index]!;
  };
  return { outcomes, writes, written, troubles, write };
}

describe('Outcomes', () => {
  it('writes the first at once, and what comes meanwhile together', async () => {
    const { outcomes, writes, written, write } = database();
    outcomes.add(released('a'));
    expect(writes.map(({ batch }) => batch)).toEqual([['a']]);
    expect(written).toEqual([]);
    for (const id of ['b', 'c', 'd']) outcomes.add(released(id));
    expect(writes).toHaveLength(1);
    writes[0]!.succeed();
    expect((await write(1)).batch).toEqual(['b', 'c', 'd']);
    writes[1]!.succeed();
    await outcomes.drain(10_000);
    expect(outcomes.size).toBe(0);
    expect(written).toEqual([['a'], ['b', 'c', 'd']]);
  });

  it('writes at most 512 together, and never two of one delivery', async () => {
    const { outcomes, write } = database();
    outcomes.add(released('first'));
    for (let count = 0; count < 1_200; count += 1) outcomes.add(released(`d${count % 600}`));
    (await write(0)).succeed();
    const second = await write(1);
    expect(new Set(second.batch).size).toBe(second.batch.length);
    expect(second.batch).toHaveLength(512);
    second.succeed();
    // The other 88, and the first 424 of those that are written again.
    const third = await write(2);
    expect(third.batch).toHaveLength(512);
    expect(third.batch.slice(0, 88)).toEqual(Array.from({ length: 88 }, (_, index) => `d${512 + index}`));
    third.succeed();
    expect((await write(3)).batch).toHaveLength(176);
  });

  it('gathers for a moment after several together, and not after a single one', async () => {
    const { outcomes, writes, write } = database();
    outcomes.add(released('first'));
    for (const id of ['a', 'b', 'c', 'd']) outcomes.add(released(id));
    (await write(0)).succeed();
    // Nothing is waited for after a single one.
    (await write(1)).succeed();
    outcomes.add(released('e'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(writes).toHaveLength(2);
    outcomes.add(released('f'));
    const third = await write(2);
    expect(third.batch).toEqual(['e', 'f']);
    third.succeed();
    await outcomes.drain(10_000);
  });

  it('keeps everything while the database is away, and says so once', async () => {
    const { outcomes, troubles, write } = database();
    outcomes.add(released('a'));
    outcomes.add(released('b'));
    for (let attempt = 0; attempt < 3; attempt += 1) (await write(attempt)).fail(new Error('away'));
    const fourth = await write(3);
    expect(fourth).toMatchObject({ batch: ['a'], again: true });
    expect(outcomes.isFailing).toBe(true);
    expect(troubles).toHaveLength(1);
    fourth.succeed();
    const next = await write(4);
    expect(next).toMatchObject({ batch: ['b'], again: false });
    expect(outcomes.isFailing).toBe(false);
    next.succeed();
    await outcomes.drain(10_000);
  });

  it('tries one by one what is refused together, and gives up only what is refused alone', async () => {
    const { outcomes, troubles, write } = database();
    outcomes.add(released('first'));
    for (const id of ['a', 'bad', 'c']) outcomes.add(released(id));
    (await write(0)).succeed();
    (await write(1)).fail(new Error('invalid'));
    for (const index of [2, 3, 4]) {
      const single = await write(index);
      if (single.batch[0] === 'bad') single.fail(new Error('invalid'));
      else single.succeed();
    }
    await outcomes.drain(10_000);
    expect(troubles.map(({ abandoned }) => abandoned)).toEqual(['bad']);
  });

  it('gives up at the end of the time it has when the database does not come back', async () => {
    const { outcomes, write } = database();
    outcomes.add(released('a'));
    outcomes.add(released('b'));
    (await write(0)).fail(new Error('away'));
    await outcomes.drain(1);
    expect(outcomes.size).toBe(1);
  });
});
