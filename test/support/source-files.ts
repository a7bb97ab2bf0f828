import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The TypeScript files of a folder and all below it, without specs and declarations. */
export function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!\.spec|\.d)\.ts$/.test(name))
    .map((name) => join(folder, name));
}
