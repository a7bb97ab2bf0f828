import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { WEB_STYLESHEET } from './assets.js';
import { brandStylesheet, brandStylesheetPath, contrastRatio } from './brand.js';

const STYLESHEET = readFileSync(WEB_STYLESHEET, 'utf8');

describe('colours of the stylesheet', () => {
  const themes = [...STYLESHEET.matchAll(/:root \{([^}]*)\}/g)].map(([, block = '']) => {
    const properties = [...block.matchAll(/--([a-z-]+): (#[0-9a-f]{6})/g)];
    return new Map(properties.map(([, name = '', value = '']) => [name, value]));
  });
  const pairs: [text: string, background: string, least: number][] = [
    ['ink', 'page', 4.5],
    ['ink', 'surface', 4.5],
    ['ink', 'accent-soft', 4.5],
    ['ink-soft', 'page', 4.5],
    ['ink-soft', 'surface', 4.5],
    ['accent', 'page', 4.5],
    ['accent', 'surface', 4.5],
    ['accent-ink', 'accent', 4.5],
    ['danger', 'surface', 4.5],
    ['warning', 'surface', 4.5],
    ['warning', 'warning-soft', 4.5],
    ['control-line', 'surface', 3],
  ];

  it('has a light, a dark and a print theme', () => {
    expect(themes).toHaveLength(3);
  });

  it.each(pairs)('%s on %s reaches %d in both themes', (text, background, least) => {
    for (const theme of themes.slice(0, 2)) {
      expect(contrastRatio(theme.get(text) ?? '', theme.get(background) ?? '')).toBeGreaterThanOrEqual(least);
    }
  });
});

describe('a brand', () => {
  it.each(['#ffcc00', '#000000', '#ffffff', '#808080', '#d12053', '#0d56a3'])(
    '%s stays readable in both themes',
    (colour) => {
      const found = [
        ...(brandStylesheet(colour) ?? '').matchAll(/--accent:(#[0-9a-f]{6});--accent-ink:(#[0-9a-f]{6})/g),
      ];
      expect(found).toHaveLength(2);
      found.forEach(([, accent = '', ink = ''], index) => {
        expect(contrastRatio(accent, ink)).toBeGreaterThanOrEqual(4.5);
        expect(contrastRatio(accent, index === 0 ? '#eaf0ec' : '#18201d')).toBeGreaterThanOrEqual(4.5);
      });
    },
  );

  it('that is no colour has no stylesheet', () => {
    expect(brandStylesheetPath('/pay/assets', 'red;}')).toBeNull();
    expect(brandStylesheet('#fff')).toBeNull();
    expect(brandStylesheetPath('/pay/assets', '#FFCC00')).toBe('/pay/assets/brand-ffcc00.css');
  });
});
