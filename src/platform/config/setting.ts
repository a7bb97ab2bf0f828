import { parseDurationMs } from '../../kernel/duration.js';

/** The variables of a process, or what a test gives in their place. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** One environment variable: what it may be, what it is without being set, and what it is for. */
export interface Setting<Value> {
  /** Its name, such as `PAYMENT_TTL`. */
  readonly variable: string;
  /** Its row in docs/settings.md. */
  readonly help: string;
  /** The default as the table of settings shows it. */
  readonly shownDefault: string;
  readonly kind: Kind<Value>;
  /** The value where the variable is unset or empty. */
  readonly unset: (environment: Environment) => Value;
  readonly generated?: Generated;
}

/** A secret that is generated outside production, and must be set in production. */
interface Generated {
  /** Name of the file under `DATA_DIR` that holds it. */
  readonly file: string;
  /** The end of the message in production where it is unset: of the sentence "must be set in production". */
  readonly needed: string;
}

/** The values that a variable may have, and how they are read. */
export interface Kind<Value> {
  /** Ends the sentence "… must be". */
  readonly expected: string;
  /** Undefined for a text that is not what is expected. */
  readonly parse: (text: string) => Value | undefined;
  /** A refusal never quotes it. */
  readonly secret?: true;
  /** Blanks at its ends belong to it. */
  readonly untrimmed?: true;
}

interface Exceptions<Value> {
  /** For a default that follows from other variables. */
  readonly unset?: (environment: Environment) => Value;
  /** The default as the table of settings shows it, where that is not `otherwise`. */
  readonly shownDefault?: string;
  readonly generated?: Generated;
}

/** A setting of any kind. `otherwise` is the default as a user would write it; with null the value is null then. */
export function setting<Value>(
  variable: string,
  otherwise: string,
  help: string,
  kind: Kind<Value>,
  exceptions?: Exceptions<Value>,
): Setting<Value>;
export function setting<Value>(
  variable: string,
  otherwise: null,
  help: string,
  kind: Kind<Value>,
  exceptions?: Exceptions<Value | null>,
): Setting<Value | null>;
export function setting<Value>(
  variable: string,
  otherwise: string | null,
  help: string,
  kind: Kind<Value>,
  { unset, shownDefault, generated }: Exceptions<Value | null> = {},
): Setting<Value | null> {
  return {
    ...{ variable, help, kind },
    shownDefault: shownDefault ?? (otherwise === null ? 'none' : `\`${otherwise}\``),
    unset: unset ?? (() => (otherwise === null ? null : (kind.parse(otherwise) ?? null))),
    ...(generated === undefined ? {} : { generated }),
  };
}

export function text(variable: string, otherwise: string, help: string): Setting<string> {
  return setting(variable, otherwise, help, ANY_TEXT);
}

export const ANY_TEXT: Kind<string> = { expected: 'a text', parse: (value) => value };

export function integer(
  variable: string,
  otherwise: number,
  help: string,
  [least, most]: readonly [number, number],
): Setting<number> {
  return setting(variable, String(otherwise), help, {
    expected: `a whole number from ${least} to ${most}`,
    parse(value) {
      const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
      return number >= least && number <= most ? number : undefined;
    },
  });
}

/** In milliseconds. */
export function duration(variable: string, otherwise: string, help: string, leastMs = 1): Setting<number> {
  return setting(variable, otherwise, help, {
    expected: `a duration of at least ${leastMs} ms, such as 250ms, 8s, 3m or 24h`,
    parse: (value) => durationOf(value, leastMs),
  });
}

function durationOf(value: string, leastMs: number): number | undefined {
  const ms = parseDurationMs(value);
  return ms !== null && ms >= leastMs ? ms : undefined;
}

/** In milliseconds; null is `off`. */
export function durationOrOff(
  variable: string,
  otherwise: string,
  help: string,
  { leastMs, expected }: { leastMs: number; expected: string },
): Setting<number | null> {
  return setting<number | null>(variable, otherwise, help, {
    expected: `${expected}, such as 30d, or off`,
    parse: (value) => (value === 'off' ? null : durationOf(value, leastMs)),
  });
}

export interface RateLimit {
  readonly count: number;
  readonly windowMs: number;
}

/** `60/1m`; null is `off`. */
export function rateLimit(variable: string, otherwise: string, help: string): Setting<RateLimit | null> {
  return setting<RateLimit | null>(variable, otherwise, help, {
    expected: 'a count and a duration of at least 1s, such as 60/1m, or off',
    parse(value) {
      if (value === 'off') return null;
      const [, count, window = ''] = /^([1-9]\d{0,6})\/([^/]*)$/.exec(value) ?? [];
      const windowMs = durationOf(window, 1_000);
      return windowMs === undefined ? undefined : Object.freeze({ count: Number(count), windowMs });
    },
  });
}

export function choice<Word extends string>(
  variable: string,
  words: readonly Word[],
  otherwise: Word,
  help: string,
): Setting<Word> {
  return setting(variable, otherwise, help, oneOf(words));
}

export function oneOf<Word extends string>(words: readonly Word[]): Kind<Word> {
  return {
    expected: `one of ${words.join(', ')}`,
    parse: (value) => words.find((word) => word === value),
  };
}

/** Whether a setting is this word. */
export function is<Word extends string>(of: Setting<Word>, word: Word): Setting<boolean> {
  const parse = (value: string): boolean | undefined => {
    const chosen = of.kind.parse(value);
    return chosen === undefined ? undefined : chosen === word;
  };
  return { ...of, kind: { expected: of.kind.expected, parse }, unset: (all) => of.unset(all) === word };
}

export function onOrOff(variable: string, otherwise: 'on' | 'off', help: string): Setting<boolean> {
  return is(choice(variable, ['on', 'off'], otherwise, help), 'on');
}

export const TRUE_OR_FALSE: Kind<boolean> = {
  expected: 'true or false',
  parse: (value) => ({ true: true, false: false })[value.toLowerCase()],
};

/** Texts with commas between; `parse` of one of them answers undefined for what is none. */
export function list<Item>(
  expected: string,
  parse: (item: string) => Item | undefined,
): Kind<readonly Item[]> {
  return {
    expected,
    parse(value) {
      const items = itemsOf(value).map(parse);
      return items.every((item) => item !== undefined) ? Object.freeze(items) : undefined;
    },
  };
}

/** The texts of a list, without blanks around them; empty ones do not count. */
export function itemsOf(value: string): string[] {
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

export function isProduction(environment: Environment): boolean {
  return environment['NODE_ENV']?.trim() === 'production';
}
