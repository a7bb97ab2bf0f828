import { describe, expect, it } from 'vitest';
import { isInNetworks, isLoopback } from './networks.js';

/* Goal: who may read metrics is told by address, in every spelling of one. Method: examples. */

describe('isInNetworks', () => {
  it.each([
    ['10.1.2.3', ['10.0.0.0/8']],
    ['::ffff:10.1.2.3', ['10.0.0.0/8']],
    ['192.0.2.7', ['198.51.100.0/24', '192.0.2.7']],
    ['2001:db8::7', ['2001:db8::/32']],
  ])('%s is in %j', (address, networks) => {
    expect(isInNetworks(address, networks)).toBe(true);
  });

  it.each([
    ['11.1.2.3', ['10.0.0.0/8']],
    ['192.0.2.8', ['192.0.2.7']],
    ['2001:db9::7', ['2001:db8::/32', '10.0.0.0/8']],
    ['unknown', ['0.0.0.0/0', '::/0']],
    ['', ['0.0.0.0/0']],
    ['10.0.0.1', []],
  ])('%s is not in %j', (address, networks) => {
    expect(isInNetworks(address, networks)).toBe(false);
  });
});

describe('isLoopback', () => {
  it.each([
    ['127.0.0.1', true],
    ['127.8.9.1', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['128.0.0.1', false],
    ['::2', false],
    ['10.0.0.1', false],
  ])('%s: %s', (address, expected) => {
    expect(isLoopback(address)).toBe(expected);
  });
});
