import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { checkoutAssetPaths, chooseCoding, encodePage, loadCheckoutAssets } from './checkout-assets.js';

describe('checkout assets', () => {
  it('are the same bytes in every coding', () => {
    for (const asset of loadCheckoutAssets().values()) {
      expect(gunzipSync(asset.bodies.gzip)).toEqual(asset.bodies.identity);
      expect(brotliDecompressSync(asset.bodies.br)).toEqual(asset.bodies.identity);
    }
  });

  it('have addresses that name their content', () => {
    const paths = checkoutAssetPaths(loadCheckoutAssets());
    expect(paths.stylesheet).toMatch(/^\/pay\/assets\/checkout\.css\?v=[\w-]{12}$/);
    expect(paths.script).toMatch(/^\/pay\/assets\/checkout\.js\?v=[\w-]{12}$/);
    expect(paths.icon).toMatch(/^\/pay\/assets\/icon\.svg\?v=[\w-]{12}$/);
  });

  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1.0, br;q=0', 'gzip'],
    ['deflate', 'identity'],
    [undefined, 'identity'],
  ])('come in what the client takes: %s', (header, coding) => {
    expect(chooseCoding(header)).toBe(coding);
  });

  it('pages are encoded likewise', async () => {
    expect(brotliDecompressSync(await encodePage('জমা', 'br')).toString()).toBe('জমা');
    expect(gunzipSync(await encodePage('জমা', 'gzip')).toString()).toBe('জমা');
    expect((await encodePage('জমা', 'identity')).toString()).toBe('জমা');
  });
});
