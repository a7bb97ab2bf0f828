import { describe, expect, it } from 'vitest';
import { hostUrls } from './host-urls.js';

/* Goal: several hosts in one address are several addresses that differ in nothing else (contract 8.14). */

describe('hostUrls', () => {
  it.each([
    ['postgres://joma:secret@a:5432/joma', ['postgres://joma:secret@a:5432/joma']],
    [
      'postgres://u:p@a:5432,b:5433/joma?sslmode=require',
      ['postgres://u:p@a:5432/joma?sslmode=require', 'postgres://u:p@b:5433/joma?sslmode=require'],
    ],
    [
      'postgresql://a,b,[::1]:5432/joma',
      ['postgresql://a/joma', 'postgresql://b/joma', 'postgresql://[::1]:5432/joma'],
    ],
    ['postgres://u:p@q@a,b', ['postgres://u:p@q@a', 'postgres://u:p@q@b']],
    ['postgres:///joma?host=/run/postgresql', ['postgres:///joma?host=/run/postgresql']],
  ])('%s', (url, urls) => {
    expect(hostUrls(url)).toEqual(urls);
  });

  it.each([
    '',
    'mysql://a/joma',
    'postgres://a,,b/joma',
    'postgres://a:5432,/joma',
    'postgres://a:port/joma',
    'postgres://a:1,b:99999/joma',
    'a,b',
    'postgres://joma:100%sure@a:5432/joma',
  ])('refuses %s', (url) => {
    expect(hostUrls(url)).toBeNull();
  });
});
