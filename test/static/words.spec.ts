import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/*
 * Goal: one word for one thing. Words that docs/glossary.md retires, and that mean nothing else here, do not come
 * back, in identifiers, texts, comments or documents. Method: every word of every source, test and document, split as
 * identifiers are.
 */

const RETIRED =
  /^(?:settlements?|contests?|contesting|rivals?|contenders?|heirs?|takers?|brakes?|braked|admissions?|lanes?|companions?|guests?)$/;
/** Two retired words are only ever written together. */
const RETIRED_PAIRS = /\b(?:letGo|LetGo|giveAway|GiveAway)\b/g;

/** Names and words that clients, merchants and the specification know; they stay, whatever else is renamed. */
const FIXED = /joma_guessing_brake_total|[Cc]ompanion phone app|one lane;|stored contest/g;

/** Definitions, and the contract's own list of retired words. */
const PASSED_OVER = ['docs/glossary.md', 'test/static/words.spec.ts'];

const files = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', 'src', 'test', 'docs'],
  {
    encoding: 'utf8',
  },
)
  .split('\n')
  .filter((name) => /\.(?:ts|js|sql|md|css)$/.test(name) && !PASSED_OVER.includes(name));

/** `GuessBrake`, `guess_brakes` and "guess-brake" are all two words. */
function wordsOf(text: string): string[] {
  return text
    .replace(FIXED, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z]+/)
    .map((word) => word.toLowerCase());
}

function retiredIn(name: string): string[] {
  const text = readFileSync(name, 'utf8');
  const words = [...wordsOf(text), ...wordsOf(name)].filter((word) => RETIRED.test(word));
  return [...new Set([...words, ...(text.match(RETIRED_PAIRS) ?? [])])];
}

describe('the words', () => {
  it('are read by this test', () => {
    expect(files.length).toBeGreaterThan(500);
    expect(
      wordsOf('private readonly guessBrakeOf, RECEIPT_CONTESTS').filter((word) => RETIRED.test(word)),
    ).toEqual(['brake', 'contests']);
  });

  it('are those of the glossary', () => {
    const found = files
      .map((name) => ({ name, words: retiredIn(name) }))
      .filter(({ words }) => words.length > 0);
    expect(found.map(({ name, words }) => `${name}: ${words.join(', ')}`)).toEqual([]);
  });
});
