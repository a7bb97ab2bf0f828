import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadBrand } from './load-brand.js';

const NOTHING_SET = { brandName: null, brandColour: null, brandLogoFile: null };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'joma-brand-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function logoFile(name: string, bytes: number): string {
  const file = join(folder, name);
  writeFileSync(file, Buffer.alloc(bytes));
  return file;
}

describe('loadBrand', () => {
  it('is empty when nothing is set', () => {
    const { brand, assets } = loadBrand(NOTHING_SET, '/pay/assets');
    expect(brand).toEqual({ name: null, colour: null, logoUrl: null });
    expect(assets.size).toBe(0);
  });

  it('serves the colour as a stylesheet, and the logo at an address that changes with it', () => {
    const { brand, assets } = loadBrand(
      { brandName: 'Acme', brandColour: '#0d56a3', brandLogoFile: logoFile('logo.PNG', 20 * 1024) },
      '/pay/assets',
    );
    expect(brand.logoUrl).toMatch(/^\/pay\/assets\/brand-logo\?v=[\w-]{12}$/);
    expect([...assets].map(([name, { contentType }]) => [name, contentType])).toEqual([
      ['brand-0d56a3.css', 'text/css; charset=utf-8'],
      ['brand-logo', 'image/png'],
    ]);
    expect(assets.get('brand-0d56a3.css')?.identity.toString()).toContain('--accent:#0d56a3');
  });

  it.each([
    ['no picture', () => logoFile('logo.txt', 1)],
    ['too large', () => logoFile('large.png', 20 * 1024 + 1)],
    ['not there', () => join(folder, 'missing.svg')],
  ])('refuses a logo that is %s, and names the variable', (_what, file) => {
    expect(() => loadBrand({ ...NOTHING_SET, brandLogoFile: file() }, '/pay/assets')).toThrow(
      /^CHECKOUT_BRAND_LOGO /,
    );
  });
});
