import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/*
 * Rules: contract 14.66.
 *
 * Goal: the bill of materials names all that is shipped, and how it hangs together (contract 14.66). Method: it is
 * written.
 */

interface Bom {
  readonly bomFormat: string;
  readonly components: {
    'bom-ref': string;
    group?: string;
    name: string;
    version: string;
    scope: string;
    purl: string;
  }[];
  readonly dependencies: { ref: string; dependsOn: string[] }[];
}

describe('npm run sbom', () => {
  const bom = JSON.parse(
    execFileSync(process.execPath, ['.config/sbom.js'], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }),
  ) as Bom;
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, Record<string, string>>;
  const nameOf = ({ group, name }: { group?: string; name: string }) =>
    group === undefined ? name : `${group}/${name}`;

  it.each(['dependencies', 'optionalDependencies', 'devDependencies'])('names all direct %s', (kind) => {
    const names = new Set(bom.components.map(nameOf));
    expect(Object.keys(manifest[kind] ?? {}).filter((name) => !names.has(name))).toEqual([]);
    const direct = new Set(bom.dependencies.find(({ ref }) => ref === 'joma')?.dependsOn);
    for (const name of Object.keys(manifest[kind] ?? {}))
      expect(direct.has(`node_modules/${name}`), name).toBe(true);
  });

  it('tells what is shipped from what is not, and refers to nothing that it does not name', () => {
    expect(bom.bomFormat).toBe('CycloneDX');
    const scopes = new Map(bom.components.map((component) => [nameOf(component), component.scope]));
    expect(scopes.get('fastify')).toBe('required');
    expect(scopes.get('vitest')).toBe('excluded');
    const refs = new Set(['joma', ...bom.components.map((component) => component['bom-ref'])]);
    for (const { ref, dependsOn } of bom.dependencies)
      for (const other of [ref, ...dependsOn]) expect(refs.has(other), other).toBe(true);
  });
});
