import { describe, expect, it } from 'vitest';
import { KeyedTurns, Slots } from './turns.js';

/** A piece of work that ends when the test says so. */
function heldWork<Result>(result: Result) {
  const { promise, resolve, reject } = withResolvers<Result>();
  const work = {
    started: false,
    run: () => ((work.started = true), promise),
    finish: () => resolve(result),
    fail: reject,
  };
  return work;
}

function withResolvers<Result>() {
  let resolve!: (result: Result) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<Result>((onResult, onError) => ((resolve = onResult), (reject = onError)));
  return { promise, resolve, reject };
}

/** Lets everything run that waits for nothing but promises already settled. */
const settle = () => new Promise((resolve) => setImmediate(resolve));
const full = () => new Error('full');

describe('Slots', () => {
  it('lets no more than its number run at once, and the others in the order in which they came', async () => {
    const slots = new Slots(2, 10, full);
    const works = [heldWork('a'), heldWork('b'), heldWork('c'), heldWork('d')] as const;
    const results = works.map((work) => slots.run(work.run));
    await settle();
    expect(works.map(({ started }) => started)).toEqual([true, true, false, false]);
    works[1].finish();
    await settle();
    expect(works.map(({ started }) => started)).toEqual([true, true, true, false]);
    for (const work of works) work.finish();
    await expect(Promise.all(results)).resolves.toEqual(['a', 'b', 'c', 'd']);
  });

  it('hands a slot on after a failure', async () => {
    const slots = new Slots(1, 10, full);
    const failing = slots.run(() => Promise.reject(new Error('broken')));
    const next = slots.run(() => Promise.resolve('next'));
    await expect(failing).rejects.toThrow('broken');
    await expect(next).resolves.toBe('next');
    await expect(slots.run(() => Promise.resolve('later'))).resolves.toBe('later');
  });

  it('refuses at once when too many wait', async () => {
    const slots = new Slots(1, 1, full);
    const first = heldWork('first');
    const results = [slots.run(first.run), slots.run(() => Promise.resolve('second'))];
    await expect(slots.run(() => Promise.resolve('third'))).rejects.toThrow('full');
    first.finish();
    await expect(Promise.all(results)).resolves.toEqual(['first', 'second']);
  });
});

describe('KeyedTurns', () => {
  it('runs what shares any key one after another, and the rest beside it', async () => {
    const turns = new KeyedTurns(10, full);
    const works = [heldWork(1), heldWork(2), heldWork(3), heldWork(4)] as const;
    const keys = [
      ['alice', 'here'],
      ['bob', 'here'],
      ['carol', 'there'],
      ['bob', 'there'],
    ];
    const results = works.map((work, index) => turns.run(keys[index] ?? [], work.run));
    await settle();
    expect(works.map(({ started }) => started)).toEqual([true, false, true, false]);
    works[2].finish();
    await settle();
    expect(works.map(({ started }) => started)).toEqual([true, false, true, false]);
    works[0].finish();
    await settle();
    expect(works.map(({ started }) => started)).toEqual([true, true, true, false]);
    works[1].finish();
    works[3].finish();
    await expect(Promise.all(results)).resolves.toEqual([1, 2, 3, 4]);
  });

  it('goes on after a failure, and refuses at once what is too much', async () => {
    const turns = new KeyedTurns(2, full);
    const first = heldWork('first');
    const failing = turns.run(['key'], first.run);
    const second = turns.run(['key'], () => Promise.resolve('second'));
    await expect(turns.run(['other'], () => Promise.resolve('third'))).rejects.toThrow('full');
    first.fail(new Error('broken'));
    await expect(failing).rejects.toThrow('broken');
    await expect(second).resolves.toBe('second');
    await expect(turns.run(['key'], () => Promise.resolve('later'))).resolves.toBe('later');
  });

  it('keeps nothing of what is over', async () => {
    const turns = new KeyedTurns(1_000, full);
    await Promise.all(
      Array.from({ length: 500 }, (_, index) => turns.run([`${index % 7}`, 'all'], async () => index)),
    );
    await settle();
    expect((turns as unknown as { last: Map<string, unknown> }).last.size).toBe(0);
  });
});
