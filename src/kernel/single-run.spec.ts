import { describe, expect, it } from 'vitest';
import { SingleRun } from './single-run.js';

/** Work that ends by hand. */
function byHand() {
  const runs: { end: () => void; fail: (error: Error) => void }[] = [];
  const reported: unknown[] = [];
  const single = new SingleRun(
    () => new Promise((end, fail) => runs.push({ end, fail })),
    (error) => reported.push(error),
  );
  return { single, runs, reported };
}

describe('SingleRun', () => {
  it('lets who asks meanwhile join the run that is under way', async () => {
    const { single, runs } = byHand();
    const asked = [single.run(), single.run()];
    expect(runs).toHaveLength(1);
    expect(single.isRunning).toBe(true);
    runs[0]!.end();
    await Promise.all(asked);
    expect(single.isRunning).toBe(false);
    void single.run();
    expect(runs).toHaveLength(2);
  });

  it('reports what went wrong, and runs again', async () => {
    const { single, runs, reported } = byHand();
    const asked = single.run();
    runs[0]!.fail(new Error('away'));
    await asked;
    expect(reported).toEqual([new Error('away')]);
    void single.run();
    expect(runs).toHaveLength(2);
  });

  it('waits for the run under way when it is stopped, and starts none afterwards', async () => {
    const { single, runs } = byHand();
    void single.run();
    let hasStopped = false;
    const stopping = single.stop().then(() => (hasStopped = true));
    expect(single.isStopping).toBe(true);
    await Promise.resolve();
    expect(hasStopped).toBe(false);
    runs[0]!.end();
    await stopping;
    await single.run();
    expect(runs).toHaveLength(1);
  });
});
