import { describe, expect, it } from 'vitest';
import { returnAddress } from './return-address.js';

const ID = '0193b3a0-7c00-7000-8000-000000000001';

describe('returnAddress', () => {
  it.each([
    ['https://shop.example/thanks', `https://shop.example/thanks?paymentId=${ID}`],
    ['https://shop.example', `https://shop.example/?paymentId=${ID}`],
    ['https://shop.example/t?', `https://shop.example/t?paymentId=${ID}`],
    ['https://shop.example/t?order=7#top', `https://shop.example/t?order=7&paymentId=${ID}#top`],
    ['https://shop.example/t?o=1&paymentId=zz#frag', `https://shop.example/t?o=1&paymentId=${ID}#frag`],
    [
      'https://shop.example/t?a&&paymentId=1&q=a%20b+c&paymentId&payment%49d=2&paymentid=3&z=%E0%A4',
      `https://shop.example/t?a&&paymentId=${ID}&q=a%20b+c&paymentid=3&z=%E0%A4`,
    ],
    ['https://shop.example/?paymentId=', `https://shop.example/?paymentId=${ID}`],
    ['https://shop.example/?q=paymentId=1&', `https://shop.example/?q=paymentId=1&&paymentId=${ID}`],
    ['https://shop.example/t?q=a%20b+c&x=%2F', `https://shop.example/t?q=a%20b+c&x=%2F&paymentId=${ID}`],
  ])('of %s', (redirectUrl, expected) => {
    expect(returnAddress(redirectUrl, ID)).toBe(expected);
  });

  it.each([null, undefined, '', '/thanks', 'javascript:alert(1)', 'ftp://shop.example/'])(
    'is none for %s',
    (redirectUrl) => {
      expect(returnAddress(redirectUrl, ID)).toBeNull();
    },
  );
});
