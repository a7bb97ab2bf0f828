import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and those around it that are missing, one by one: `mkdir` with `recursive` never returns where a
 * folder can hold none, such as `/proc`.
 *
 * @throws Error of `mkdir`
 */
export function makeFolder(path: string, mode = 0o777): void {
  const folder = resolve(path);
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
