import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/*
 * Goal: the dependency directions of the house hold, so that a feature can be read, replaced or reused by itself.
 * Method: every relative import of every source file is looked at; packages too, where a layer must not know them.
 */

const SOURCE = resolve('src');

/** What each part may import besides itself; of another feature only its index.ts. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  wallets: ['kernel'],
  config: ['kernel'],
  database: ['config', 'kernel'],
  http: ['config', 'kernel'],
  web: ['config', 'http', 'kernel'],
  audit: ['config', 'database', 'http', 'kernel'],
  accounts: ['audit', 'config', 'database', 'http', 'kernel'],
  stores: ['accounts', 'audit', 'config', 'database', 'http', 'kernel', 'wallets'],
  events: ['config', 'database', 'http', 'kernel'],
  payments: ['accounts', 'audit', 'config', 'database', 'http', 'kernel', 'events', 'stores', 'wallets'],
  'payment-links': [
    ...[
      'accounts',
      'audit',
      'config',
      'database',
      'events',
      'http',
      'kernel',
      'payments',
      'stores',
      'wallets',
      'web',
    ],
  ],
  checkout: ['config', 'database', 'http', 'kernel', 'payments', 'stores', 'wallets', 'web'],
  inbound: ['accounts', 'config', 'database', 'http', 'kernel', 'payments', 'stores', 'wallets'],
  notifications: ['accounts', 'config', 'database', 'http', 'kernel', 'events', 'stores'],
  dashboard: [
    ...['accounts', 'audit', 'config', 'http', 'inbound', 'kernel', 'notifications', 'payments', 'stores'],
    ...['payment-links', 'wallets', 'web'],
  ],
  health: ['config', 'database', 'http', 'kernel'],
  demo: ['accounts', 'config', 'kernel', 'payments', 'stores', 'wallets'],
};

/** Whoever may import any feature by its index.ts: what an operator adds. */
const GUESTS = ['extensions'];

/** The only files that know which extensions there are. */
const KNOW_EXTENSIONS = ['app.module.ts', 'program.ts', '../ormconfig.ts'];

/** What stands above the features, and may be known to them: codes and contracts, no behaviour. */
const ABOVE: Readonly<Record<string, readonly string[]>> = {
  extensions: ['problem-codes.js'],
  demo: ['service.js'],
};

/** The kernel is pure: it knows no framework, no database and no network. */
const FORBIDDEN_IN_KERNEL = /^(@nestjs\/|typeorm|pg$|fastify|node:(?:http|https|net|fs)|undici)/;

interface Import {
  readonly file: string;
  readonly part: string;
  readonly target: string;
  readonly specifier: string;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
    .map((name) => join(folder, name));
}

function partOf(path: string): string {
  const [first = '', ...rest] = relative(SOURCE, path).split('/');
  return rest.length === 0 ? '' : first;
}

const imports: Import[] = sourceFiles(SOURCE).flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(
    ([, specifier = '']) => ({
      file: relative(SOURCE, file),
      part: partOf(file),
      specifier,
      target: specifier.startsWith('.') ? relative(SOURCE, resolve(dirname(file), specifier)) : '',
    }),
  ),
);

const targetPart = (target: string) => (target.includes('/') ? (target.split('/')[0] ?? '') : '');
const isPlatform = (part: string) => ['kernel', 'config', 'database', 'http', 'web'].includes(part);
const describeImport = ({ file, specifier }: Import) => `${file} imports ${specifier}`;

describe('the house', () => {
  it('is where this test looks', () => {
    expect(imports.length).toBeGreaterThan(200);
    for (const part of Object.keys(ALLOWED)) expect(imports.some((found) => found.part === part)).toBe(true);
  });

  it('names every folder', () => {
    const folders = readdirSync(SOURCE, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).sort()).toEqual([...Object.keys(ALLOWED), ...GUESTS].sort());
  });

  it('lets migrations import nothing of it: they are what they were, whatever becomes of the code', () => {
    const files = sourceFiles(SOURCE).filter((file) => /\/extensions\/[^/]+\/migrations\//.test(file));
    const wrong = [...sourceFiles(resolve('migrations')), ...files].flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)]
        .map(([, specifier = '']) => specifier)
        .filter((specifier) => specifier !== 'typeorm' && !specifier.startsWith('./'))
        .map((specifier) => `${file} imports ${specifier}`),
    );
    expect(wrong).toEqual([]);
  });

  it('lets each part import only what stands right of it', () => {
    const wrong = imports.filter(({ part, target, file }) => {
      const allowed = ALLOWED[part];
      if (allowed === undefined || target === '' || target.startsWith('..')) return false;
      const wanted = targetPart(target);
      if (wanted === '') return file !== '' && !(ABOVE[part] ?? []).includes(target);
      return wanted !== part && !allowed.includes(wanted);
    });
    expect(wrong.map(describeImport)).toEqual([]);
  });

  it('lets a feature be entered only through its index', () => {
    const wrong = imports.filter(({ part, target }) => {
      const wanted = targetPart(target);
      if (
        part === '' ||
        wanted === '' ||
        wanted === part ||
        isPlatform(wanted) ||
        ALLOWED[wanted] === undefined
      )
        return false;
      return target !== `${wanted}/index.js`;
    });
    expect(wrong.map(describeImport)).toEqual([]);
  });

  it('lets guests import features by their index, and nothing above them but what they are given', () => {
    const wrong = imports.filter(({ part, target }) => {
      if (!GUESTS.includes(part) || target === '') return false;
      const wanted = targetPart(target);
      if (wanted === '') return !(ABOVE[part] ?? []).includes(target);
      if (wanted === part || isPlatform(wanted)) return false;
      if (target.startsWith('..')) return target !== '../migrations/index.js';
      return ALLOWED[wanted] === undefined || target !== `${wanted}/index.js`;
    });
    expect(wrong.map(describeImport)).toEqual([]);
  });

  it('keeps each extension to itself, and the list of them to three files', () => {
    const folderOf = (path: string) => path.split('/').slice(0, 2).join('/');
    const isShared = (target: string) => /^extensions\/[^/]+\.js$/.test(target);
    const between = imports.filter(
      ({ file, part, target }) =>
        part === 'extensions' &&
        file.split('/').length > 2 &&
        targetPart(target) === 'extensions' &&
        folderOf(target) !== folderOf(file) &&
        target !== 'extensions/extension.js',
    );
    expect(between.map(describeImport)).toEqual([]);
    const fromOutside = imports.filter(
      ({ file, part, target }) =>
        part !== 'extensions' && targetPart(target) === 'extensions' && !KNOW_EXTENSIONS.includes(file),
    );
    expect(fromOutside.map(describeImport)).toEqual([]);
    expect(imports.some(({ target }) => isShared(target))).toBe(true);
  });

  it('keeps the kernel pure', () => {
    const wrong = imports.filter(
      ({ part, specifier }) => part === 'kernel' && FORBIDDEN_IN_KERNEL.test(specifier),
    );
    expect(wrong.map(describeImport)).toEqual([]);
  });

  it('has no circles between modules', () => {
    const wrong = sourceFiles(SOURCE).filter((file) => readFileSync(file, 'utf8').includes('forwardRef('));
    expect(wrong).toEqual([]);
    for (const [part, allowed] of Object.entries(ALLOWED)) {
      for (const other of allowed) expect(ALLOWED[other], `${part} ↔ ${other}`).not.toContain(part);
    }
  });

  it('exports names only', () => {
    const wrong = sourceFiles(SOURCE).filter((file) => /^export default/m.test(readFileSync(file, 'utf8')));
    expect(wrong).toEqual([]);
  });
});
