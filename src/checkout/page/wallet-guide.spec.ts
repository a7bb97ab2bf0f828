import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { brandStylesheet, brandStylesheetPath, contrastRatio } from './brand.js';
import { wordsOf } from './checkout-words.js';
import { findWalletGuide, WALLET_GUIDES } from './wallet-guide.js';

const STYLESHEET = readFileSync(new URL('./assets/checkout.css', import.meta.url), 'utf8');

describe('wallets', () => {
  it.each([...WALLET_GUIDES.values()])(
    '$key: its words can be read on its colour, and the stylesheet agrees',
    (guide) => {
      expect(contrastRatio(guide.colour, guide.ink)).toBeGreaterThanOrEqual(4.5);
      const rule = `[data-wallet='${guide.key}'] {\n  --wallet: ${guide.colour};\n  --wallet-ink: ${guide.ink};\n}`;
      expect(STYLESHEET).toContain(rule);
    },
  );

  it.each([...WALLET_GUIDES.values()])(
    '$key: its example is of the shape it describes',
    ({ transactionId }) => {
      if (transactionId) expect(transactionId.example).toMatch(new RegExp(`^(?:${transactionId.pattern})$`));
    },
  );

  it('are found by any spelling of their code, and unknown ones are not made up', () => {
    expect(findWalletGuide('ok_wallet')?.names.en).toBe('OK Wallet');
    expect(findWalletGuide('somebank')).toBeNull();
  });
});

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
    expect(brandStylesheetPath('red;}')).toBeNull();
    expect(brandStylesheet('#fff')).toBeNull();
    expect(brandStylesheetPath('#FFCC00')).toBe('/pay/assets/brand-ffcc00.css');
  });
});

describe('words', () => {
  /** Every sentence with its path; functions of the page fill the slots. */
  function sentences(value: object, path = ''): [string, string][] {
    return Object.entries(value).flatMap(([key, part]: [string, unknown]) =>
      typeof part === 'string'
        ? [[`${path}${key}`, part] as [string, string]]
        : sentences(part as object, `${path}${key}.`),
    );
  }

  it('are complete in both languages, with the same slots', () => {
    const english = sentences(wordsOf('en'));
    const bangla = new Map(sentences(wordsOf('bn')));
    const slots = (sentence: string): string[] => (sentence.match(/\{[a-z]+\}/gi) ?? []).sort();
    expect([...bangla.keys()]).toEqual(english.map(([path]) => path));
    for (const [path, sentence] of english) {
      expect(sentence, path).not.toBe('');
      expect(slots(bangla.get(path) ?? ''), path).toEqual(slots(sentence));
    }
  });
});
