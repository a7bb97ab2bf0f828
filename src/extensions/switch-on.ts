import { ConfigurationError, type Environment } from '../platform/config/index.js';
import type { ProblemCodes } from '../kernel/domain-error.js';
import { WALLETS } from '../wallets/index.js';
import type { Extension } from './extension.js';

/** Names that the core has taken. */
export interface Taken {
  readonly errorCodes: ProblemCodes;
  /** Names of migrations, which are the names of their classes. */
  readonly migrations: readonly string[];
}

/**
 * The extensions that `EXTENSIONS` names, in that order, their wallets registered. Routes and tables that clash are
 * found when they are made.
 *
 * @throws ConfigurationError with one line for every unknown name, setting that is wrong, and name that is taken
 */
export function switchOn(
  known: readonly Extension[],
  extensions: readonly string[],
  environment: Environment,
  taken: Taken,
): readonly Extension[] {
  const problems: string[] = [];
  const chosen = extensions.flatMap((name) => {
    const found = known.find((extension) => extension.name === name);
    if (found === undefined) problems.push(unknownExtension(name, known));
    return found === undefined ? [] : [found];
  });
  problems.push(...doubles('error code', Object.keys(taken.errorCodes), chosen, codesOf));
  problems.push(...doubles('migration', taken.migrations, chosen, migrationsOf));
  for (const { settingProblems } of chosen) problems.push(...(settingProblems?.(environment) ?? []));
  if (problems.length === 0) problems.push(...chosen.flatMap(registerWallets));
  if (problems.length > 0) throw new ConfigurationError(problems);
  return chosen;
}

const codesOf = ({ errorCodes }: Extension) => Object.keys(errorCodes);
const migrationsOf = ({ migrations }: Extension) => migrations.map(({ name }) => name);

function unknownExtension(name: string, known: readonly Extension[]): string {
  const names = known.map((extension) => extension.name).join(', ');
  return `EXTENSIONS names "${name}", but there is no such extension; there is ${names || 'none'}.`;
}

function doubles(
  what: string,
  taken: readonly string[],
  chosen: readonly Extension[],
  namesOf: (extension: Extension) => readonly string[],
): string[] {
  const owners = new Map(taken.map((name) => [name, 'the service itself']));
  return chosen.flatMap((extension) =>
    namesOf(extension).flatMap((name) => {
      const owner = owners.get(name);
      owners.set(name, `"${extension.name}"`);
      if (owner === undefined) return [];
      return [`EXTENSIONS: the ${what} "${name}" of "${extension.name}" is taken by ${owner}.`];
    }),
  );
}

function registerWallets({ name, wallets = [] }: Extension): string[] {
  return wallets.flatMap((wallet) => {
    try {
      WALLETS.add(wallet);
      return [];
    } catch (error) {
      return [`EXTENSIONS: a wallet of "${name}" cannot be added: ${(error as Error).message}`];
    }
  });
}
