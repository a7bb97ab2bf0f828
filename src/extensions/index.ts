import { MIGRATIONS } from '../../migrations/index.js';
import type { Configuration } from '../config/index.js';
import { PROBLEM_CODES } from '../problem-codes.js';
import type { Extension } from './extension.js';
import { switchOn } from './switch-on.js';

/** The one list of all extensions; `EXTENSIONS` switches them on by name. */
const EXTENSIONS: readonly Extension[] = [];

/** @throws ConfigurationError with one line for everything that is unknown, wrong or taken */
export function extensionsOf(configuration: Configuration): readonly Extension[] {
  return switchOn(EXTENSIONS, configuration, {
    errorCodes: PROBLEM_CODES,
    migrations: MIGRATIONS.map(({ name }) => name),
  });
}
