import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/*
 * Goal: a spec that no command runs shows nothing. Method: Vitest says what each configuration finds, and together
 * they must find every spec there is.
 */

const CONFIGURATIONS = readdirSync('.config').filter((name) => /^vitest\..*config\.ts$/.test(name));

async function filesOf(configuration: string): Promise<string[]> {
  const words = ['node_modules/vitest/vitest.mjs', 'list', '--filesOnly', '--config'];
  const { stdout } = await promisify(execFile)(process.execPath, [...words, join('.config', configuration)]);
  return stdout.split('\n').filter((line) => line.endsWith('.ts'));
}

it('each configuration finds files, and together they find all', { timeout: 60_000 }, async () => {
  const found = new Set<string>();
  for (const configuration of CONFIGURATIONS) {
    const files = await filesOf(configuration);
    expect(files.length, configuration).toBeGreaterThan(0);
    for (const file of files) found.add(file);
  }
  const all = ['src', 'test'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.spec.ts'))
      .map((name) => join(folder, name)),
  );
  expect(all.filter((spec) => !found.has(spec))).toEqual([]);
});
