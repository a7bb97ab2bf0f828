import { describe, expect, it } from 'vitest';
import { contrastRatio } from '../../platform/web/brand.js';
import { WALLETS } from '../../wallets/index.js';
import { wordsOf } from './checkout-words.js';
import { loadCheckoutAssets } from './checkout-assets.js';

const STYLESHEET = loadCheckoutAssets().get('checkout.css')?.identity.toString();

describe('wallets', () => {
  it.each(WALLETS.list())(
    '$code: its words can be read on its colour, and the stylesheet has both',
    (wallet) => {
      expect(contrastRatio(wallet.colour, wallet.ink)).toBeGreaterThanOrEqual(4.5);
      const rule = `[data-wallet='${wallet.code}'] {\n  --wallet: ${wallet.colour};\n  --wallet-ink: ${wallet.ink};\n}`;
      expect(STYLESHEET).toContain(rule);
    },
  );
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
