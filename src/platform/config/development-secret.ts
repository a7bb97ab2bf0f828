import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError } from './configuration-error.js';
import { makeFolder } from './make-folder.js';
import type { Environment } from './setting.js';

/** Where the embedded database and generated secrets are kept, unless `DATA_DIR` says otherwise. */
export const DEFAULT_DATA_DIR = '.joma';

const SECRET_BYTES = 32;

/**
 * A secret that outlives restarts of a development machine: 32 bytes in base64 in a file under `DATA_DIR`, created
 * once, readable by its owner alone.
 *
 * @throws ConfigurationError when it cannot be kept there
 */
export function developmentSecret(environment: Environment, name: string): string {
  const dataDir = environment['DATA_DIR']?.trim() || DEFAULT_DATA_DIR;
  const path = join(dataDir, name);
  try {
    // Others may pass through: where root cannot map users, the embedded server runs as another one. Files are 0600.
    makeFolder(dataDir, 0o711);
    try {
      writeFileSync(path, randomBytes(SECRET_BYTES).toString('base64'), { flag: 'wx', mode: 0o600 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    chmodSync(path, 0o600);
    const secret = readFileSync(path, 'utf8').trim();
    if (Buffer.from(secret, 'base64').length !== SECRET_BYTES)
      throw new Error('it does not hold 32 bytes in base64');
    return secret;
  } catch (error) {
    throw new ConfigurationError([
      `DATA_DIR: cannot keep the generated secret in ${path}: ${(error as Error).message}`,
    ]);
  }
}
