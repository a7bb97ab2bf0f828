import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { assetPath, chooseCoding, encodePage, loadAssets, WEB_ICON, WEB_STYLESHEET } from './assets.js';

const ASSETS = loadAssets({
  'page.css': [WEB_STYLESHEET, '.own {}', WEB_STYLESHEET],
  'icon.svg': [WEB_ICON],
});

describe('assets', () => {
  it('are the same bytes in every coding, each of them made once', async () => {
    for (const asset of ASSETS.values()) {
      expect(gunzipSync(await asset.in('gzip'))).toEqual(asset.identity);
      expect(brotliDecompressSync(await asset.in('br'))).toEqual(asset.identity);
      expect(await asset.in('identity')).toBe(asset.identity);
      expect(await asset.in('br')).toBe(await asset.in('br'));
    }
  });

  it('have a type by their name, and hold their files one after the other', () => {
    expect([...ASSETS].map(([name, { contentType }]) => [name, contentType])).toEqual([
      ['page.css', 'text/css; charset=utf-8'],
      ['icon.svg', 'image/svg+xml'],
    ]);
    expect(ASSETS.get('page.css')?.identity.toString().split('color-scheme: light dark')).toHaveLength(3);
    expect(ASSETS.get('page.css')?.identity.toString()).toContain('.own {}');
    expect(() => loadAssets({ 'page.exe': [WEB_ICON] })).toThrow('page.exe');
  });

  it('have addresses that name their content', () => {
    expect(assetPath('/pay/assets', 'page.css', ASSETS)).toMatch(/^\/pay\/assets\/page\.css\?v=[\w-]{12}$/);
  });

  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1.0, br;q=0', 'gzip'],
    ['deflate', 'identity'],
    [undefined, 'identity'],
  ])('come in what the client takes: %s', (header, coding) => {
    expect(chooseCoding(header)).toBe(coding);
  });

  it.each([
    ['a short one', 'জমা'],
    ['one that another thread compresses', 'জমা '.repeat(30_000)],
  ])('pages are encoded likewise: %s', async (_size, page) => {
    expect(brotliDecompressSync(await encodePage(page, 'br')).toString()).toBe(page);
    expect(gunzipSync(await encodePage(page, 'gzip')).toString()).toBe(page);
    expect((await encodePage(page, 'identity')).toString()).toBe(page);
  });
});
