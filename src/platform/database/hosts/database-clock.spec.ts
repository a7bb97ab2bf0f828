import { describe, expect, it } from 'vitest';
import { Registry } from 'prom-client';
import { DatabaseClock } from './database-clock.js';
import type { TimeSource } from './database-time.js';

/*
 * Goal: the time is the database's, whatever the system's clock says, now and when it is set. Method: all three
 * clocks are numbers.
 */

const START = Date.UTC(2026, 10, 21, 8, 20);
const HOUR_MS = 3_600_000;

class World {
  monotonic = 5_000;
  database = START;
  system = START;
  /** How long the round trips take, in turn; the database looks at its clock in the middle. */
  trips = [2];
  private trip = 0;

  readonly local = { monotonicMs: () => this.monotonic, systemMs: () => this.system };

  readonly source: TimeSource = (measure) =>
    measure(async () => {
      const trip = this.trips[this.trip++ % this.trips.length] ?? 0;
      this.pass(trip / 2);
      const at = this.database;
      this.pass(trip / 2);
      return Promise.resolve(at);
    });

  pass(ms: number): void {
    this.monotonic += ms;
    this.database += ms;
    this.system += ms;
  }

  start(registry = new Registry()): Promise<DatabaseClock> {
    return DatabaseClock.start(this.source, registry, this.local);
  }
}

describe('DatabaseClock', () => {
  it.each([HOUR_MS, 0, -HOUR_MS])(
    'is the time of the database where the system is %i ms off',
    async (off) => {
      const world = new World();
      world.system += off;
      const clock = await world.start();
      expect(clock.now().getTime()).toBe(world.database);
      world.pass(1_500);
      expect(clock.now().getTime()).toBe(world.database);
      await clock.onModuleDestroy();
    },
  );

  it('does not notice that the system’s clock is set', async () => {
    const world = new World();
    const clock = await world.start();
    world.system -= HOUR_MS;
    world.pass(10);
    expect(clock.now().getTime()).toBe(world.database);
    await clock.look();
    expect(clock.now().getTime()).toBe(world.database);
    await clock.onModuleDestroy();
  });

  it('goes by the quickest of its round trips', async () => {
    const world = new World();
    const tripsMs = [80, 400, 2, 90, 300];
    const clock = await DatabaseClock.start(
      (measure) =>
        measure(() => {
          const at = world.database;
          // All of the way is the way back, so that a slow trip tells a wrong time.
          world.pass(tripsMs.shift() ?? 0);
          return Promise.resolve(at);
        }),
      new Registry(),
      world.local,
    );
    expect(Math.abs(clock.now().getTime() - world.database)).toBe(1);
    await clock.onModuleDestroy();
  });

  it('follows a database whose clock is put right, and does not jump within what it cannot know', async () => {
    const world = new World();
    const clock = await world.start();
    world.database += 30_000;
    await clock.look();
    expect(clock.now().getTime()).toBe(world.database);
    world.trips = [100];
    world.database += 20;
    await clock.look();
    expect(clock.now().getTime()).toBe(world.database - 20);
    await clock.onModuleDestroy();
  });

  it('says by how much the system’s clock is ahead', async () => {
    const world = new World();
    world.system += HOUR_MS;
    const registry = new Registry();
    const clock = await world.start(registry);
    expect(await registry.metrics()).toContain('joma_clock_offset_seconds 3600\n');
    world.system -= 2 * HOUR_MS;
    expect(await registry.metrics()).toContain('joma_clock_offset_seconds -3600\n');
    await clock.onModuleDestroy();
  });

  it('does not start while the database does not say what time it is', async () => {
    const away = () => Promise.reject(new Error('away'));
    await expect(DatabaseClock.start(away, new Registry())).rejects.toThrow('away');
  });
});
