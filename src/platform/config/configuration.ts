import { isProduction, type Environment, type Setting } from './setting.js';
import { developmentSecret } from './development-secret.js';
import { ConfigurationError } from './configuration-error.js';

type Declared = Readonly<Record<string, Setting<unknown>>>;

export type ValuesOf<Of extends Declared> = {
  readonly [Name in keyof Of]: Of[Name] extends Setting<infer Value> ? Value : never;
};

/** The lines about values that do not go together. */
type Rule<Values> = (values: Values, environment: Environment) => readonly string[];

interface Declaration<Values> {
  readonly declared: Declared;
  readonly rule: Rule<Values>;
}

/** A class of settings, by which Nest injects their values. */
export type SettingsClass<Values extends object = object> = (abstract new () => Values) & Declaration<never>;

/**
 * The base of a feature's class of settings: `class PaymentsSettings extends settings({ ttlMs: duration(…) }) {}`. What
 * is declared is also its type. `rule` looks at several values together, when each of them is right.
 */
export function settings<Of extends Declared>(declared: Of, rule: Rule<ValuesOf<Of>> = () => []) {
  abstract class Values {
    static readonly declared = declared;
    static readonly rule = rule;
  }
  return Values as unknown as (abstract new () => ValuesOf<Of>) & Declaration<ValuesOf<Of>>;
}

/** Everything that can be set from outside, checked once at start and frozen (contract 8.13). */
export class Configuration {
  private constructor(
    private readonly values: ReadonlyMap<SettingsClass, object>,
    /** All variables as they are, for the settings of extensions, which only they know. */
    readonly environment: Environment,
  ) {}

  /**
   * Reads all settings at once, so that a user mends all wrong variables in one go (contract 8.10). Secrets that
   * development generates are made only when everything else is right.
   *
   * @throws ConfigurationError with a line for every wrong variable
   */
  static read(classes: readonly SettingsClass[], environment: Environment): Configuration {
    const problems: string[] = [];
    const read = classes.map((one) => [one, valuesOf(one, environment, problems)] as const);
    if (problems.length > 0) throw new ConfigurationError([...new Set(problems)]);
    for (const [{ declared }, values] of read) fillGenerated(declared, values, environment);
    const frozen = new Map(read.map(([one, values]) => [one, Object.freeze(values)]));
    return new Configuration(frozen, Object.freeze({ ...environment }));
  }

  of<Values extends object>(one: abstract new () => Values): Values {
    const values = this.values.get(one as unknown as SettingsClass);
    if (values === undefined) throw new Error(`${one.name} is missing in the list of settings.`);
    return values as Values;
  }

  /** Each class with its values. */
  entries(): readonly (readonly [SettingsClass, object])[] {
    return [...this.values];
  }
}

/** The values of a class; `problems` gets a line for every wrong one. */
function valuesOf(
  { declared, rule }: SettingsClass,
  environment: Environment,
  problems: string[],
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const before = problems.length;
  for (const [name, one] of Object.entries(declared)) values[name] = valueOf(one, environment, problems);
  if (problems.length === before) problems.push(...(rule as Rule<unknown>)(values, environment));
  return values;
}

function valueOf(one: Setting<unknown>, environment: Environment, problems: string[]): unknown {
  const { variable, kind } = one;
  const text = textOf(one, environment);
  if (text === undefined) {
    if (one.generated !== undefined && isProduction(environment))
      problems.push(`${variable} must be set in production: ${one.generated.needed}.`);
    return one.unset(environment);
  }
  const value = kind.parse(text);
  if (value === undefined) {
    const found = kind.secret === true ? '' : `, but is ${JSON.stringify(text)}`;
    problems.push(`${variable} must be ${kind.expected}${found}.`);
  }
  return value;
}

/** An empty variable counts as unset: that is what `VAR=` in a compose file means. */
function textOf({ variable, kind }: Setting<unknown>, environment: Environment): string | undefined {
  const text = kind.untrimmed === true ? environment[variable] : environment[variable]?.trim();
  return text === '' ? undefined : text;
}

function fillGenerated(declared: Declared, values: Record<string, unknown>, environment: Environment): void {
  for (const [name, one] of Object.entries(declared)) {
    if (one.generated === undefined || textOf(one, environment) !== undefined) continue;
    values[name] = one.kind.parse(developmentSecret(environment, one.generated.file));
  }
}
