import { describe, expect, it } from 'vitest';
import { percentile, plotOf, summarise, tableOf } from './load-report.js';

/* Goal: the report of a load test says what was measured, and nothing that was not. */

const results = [
  summarise('create', 1, 2, [1, 2, 3, 4], {}),
  summarise('create', 8, 2, [10, 20], { '429': 3 }),
  summarise('read <b>', 1, 2, [], { ECONNREFUSED: 1 }),
];

describe('percentile', () => {
  it('is a time that was measured', () => {
    const times = Array.from({ length: 100 }, (_, index) => index + 1);
    expect([0.5, 0.95, 0.99, 1].map((share) => percentile(times, share))).toEqual([50, 95, 99, 100]);
    expect(percentile([7], 0.99)).toBe(7);
    expect(percentile([], 0.5)).toBeNaN();
  });
});

describe('the table', () => {
  it('has a line for each measurement', () => {
    expect(tableOf(results).split('\n')).toEqual([
      '|          | connections | per second | p50 ms | p95 ms | p99 ms | other answers    |',
      '|----------|------------:|-----------:|-------:|-------:|-------:|------------------|',
      '| create   |           1 |          2 |    2.0 |    4.0 |    4.0 | –                |',
      '| create   |           8 |          1 |   10.0 |   20.0 |   20.0 | 3 × 429          |',
      '| read <b> |           1 |          0 |      – |      – |      – | 1 × ECONNREFUSED |',
    ]);
  });
});

describe('the plot', () => {
  it('draws every measurement that has a value', () => {
    const plot = plotOf(results, 'Joma & load');
    expect(plot).toContain('<title>Joma &amp; load</title>');
    expect(plot).toContain('read &lt;b&gt;');
    expect(plot).not.toMatch(/NaN|Infinity|undefined|<b>/);
    // Rates of three, times of two.
    expect(plot.match(/<circle/g)).toHaveLength(5);
  });
});
