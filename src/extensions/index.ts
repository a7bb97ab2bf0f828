import { MIGRATIONS } from '../../migrations/index.js';
import type { Configuration } from '../config/index.js';
import { PROBLEM_CODES } from '../problem-codes.js';
import { CREATE_CHARGE } from './create-charge/create-charge.extension.js';
import { DAY_CLOSE } from './day-close/day-close.extension.js';
import { EMAIL } from './email/email.extension.js';
import type { Extension } from './extension.js';
import { switchOn } from './switch-on.js';

/** The one list of all extensions; `EXTENSIONS` switches them on by name. */
const EXTENSIONS: readonly Extension[] = [DAY_CLOSE, EMAIL, CREATE_CHARGE];

/** The names there are. */
export const EXTENSION_NAMES: readonly string[] = EXTENSIONS.map(({ name }) => name);

/** @throws ConfigurationError with one line for everything that is unknown, wrong or taken */
export function extensionsOf(configuration: Configuration): readonly Extension[] {
  return switchOn(EXTENSIONS, configuration, {
    errorCodes: PROBLEM_CODES,
    migrations: MIGRATIONS.map(({ name }) => name),
  });
}
