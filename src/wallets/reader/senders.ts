/*
 * The sender id alone chooses the wallet (wallets §1). It is compared exactly after trimming, ASCII letters without
 * regard to case; nothing of another alphabet is folded. Folding serves only to say that an id was made to look like
 * a wallet's.
 */

/** A sender id as it is compared. */
export function senderKey(sender: string): string {
  return sender.trim().replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Letters of other alphabets and digits that are drawn like Latin letters. */
const DRAWN_LIKE: Readonly<Record<string, string>> = {
  ...{
    а: 'a',
    α: 'a',
    '4': 'a',
    '@': 'a',
    в: 'b',
    ь: 'b',
    '8': 'b',
    β: 'b',
    с: 'c',
    ԁ: 'd',
    е: 'e',
    '3': 'e',
    ε: 'e',
  },
  ...{
    ɡ: 'g',
    '9': 'g',
    һ: 'h',
    н: 'h',
    η: 'h',
    і: 'i',
    ι: 'i',
    '1': 'i',
    l: 'i',
    '|': 'i',
    '!': 'i',
    к: 'k',
    κ: 'k',
  },
  ...{
    м: 'm',
    п: 'n',
    ո: 'n',
    о: 'o',
    ο: 'o',
    '0': 'o',
    р: 'p',
    ρ: 'p',
    ѕ: 's',
    '5': 's',
    $: 's',
    т: 't',
    τ: 't',
  },
  ...{ υ: 'u', μ: 'u', у: 'y', γ: 'y', ү: 'y', х: 'x' },
};

function drawing(sender: string): string {
  const letters = [...sender.normalize('NFKD').toLowerCase()].map((letter) => DRAWN_LIKE[letter] ?? letter);
  return letters.filter((letter) => /[a-z]/.test(letter)).join('');
}

/** Longest sender that is looked at; ids have eleven characters at most, phone numbers fifteen. */
const MAX_LOOKED_AT = 64;

/** Whether somebody might take this sender for that of the wallet: `bKashh`, `b-Kash`, `BK4SH`, `NAGAD1`, `16217`. */
export function looksLike(sender: string, known: string): boolean {
  const shown = sender.trim().slice(0, MAX_LOOKED_AT);
  if (/^[0-9]+$/.test(known)) {
    return /^[0-9\W]+$/.test(shown) && isOneEditAway(shown.replace(/\W/g, ''), known);
  }
  const id = drawing(known);
  const seen = drawing(shown);
  if (id.length < 4 || !/\p{L}/u.test(shown)) return false;
  return seen.includes(id) || (id.length > 4 && isOneEditAway(seen, id));
}

/** Equal, or made equal by one letter more, less, other, or two exchanged. */
function isOneEditAway(left: string, right: string): boolean {
  if (Math.abs(left.length - right.length) > 1) return false;
  let same = 0;
  while (same < left.length && left.charAt(same) === right.charAt(same)) same += 1;
  const [a, b] = [left.slice(same), right.slice(same)];
  const isExchanged = a.charAt(0) === b.charAt(1) && a.charAt(1) === b.charAt(0) && a.slice(2) === b.slice(2);
  return a.slice(1) === b.slice(1) || a.slice(1) === b || a === b.slice(1) || isExchanged;
}
