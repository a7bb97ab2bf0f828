import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { contrastRatio } from '../../web/brand.js';
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
