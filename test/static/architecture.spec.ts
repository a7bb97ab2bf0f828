import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { sourceFiles } from '../support/source-files.js';
import { describe, expect, it } from 'vitest';

/*
 * Goal: the listing of `src` is the architecture. A folder imports what stands above it in the listing, never what
 * stands below, and of another feature only its index.ts; so a feature can be read, replaced or reused by itself.
 * Method: every relative import of every source file is looked at, imports of types included; packages too, where a
 * layer must not know them.
 */

const SOURCE = resolve('src');

/** The folders of `src`, from the ground up. */
const FOLDERS = [
  ...[
    'kernel',
    'platform',
    'wallets',
    'accounts',
    'stores',
    'payments',
    'checkout',
    'payment-links',
    'inbound',
  ],
  ...['notifications', 'dashboard', 'extensions', 'tools'],
];

/** The files beside them, which may import every folder. */
const FILES = ['app.module.ts', 'main.ts'];

/**
 * Rooms of a folder from the ground up; rooms of one line do not import each other. Their order is that of the
 * architecture.
 */
const ROOMS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  platform: [['config'], ['database'], ['http'], ['web'], ['audit', 'events'], ['openapi', 'health']],
  payments: [['payments'], ['receipts'], ['matching'], ['refunds'], ['intake'], ['review']],
};

/** Features that may be entered by any file: what every feature stands on. */
const OPEN = ['kernel', 'platform'];

/** The only files that know which extensions there are. */
const KNOW_EXTENSIONS = ['app.module.ts', 'tools/start.ts'];

/** The kernel is pure: it knows no framework, no database and no network. */
const FORBIDDEN_IN_KERNEL = /^(@nestjs\/|typeorm|pg$|fastify|node:(?:http|https|net|fs)|undici)/;

/** Source files of one folder, subfolders not counted: more than a reader takes in at a look. */
const MOST_FILES = 20;

const IMPORT = /(?:from|import)\s*\(?\s*'([^']+)'/g;

interface Import {
  /** Relative to `src`, as is `target`; the latter is '' for a package. */
  readonly file: string;
  readonly target: string;
  readonly specifier: string;
}

const specifiersOf = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, specifier = '']) => specifier);

function importsOf(file: string): Import[] {
  return specifiersOf(file).map((specifier) => ({
    file: relative(SOURCE, file),
    specifier,
    target: specifier.startsWith('.')
      ? relative(SOURCE, resolve(dirname(file), specifier)).replace(/\.js$/, '.ts')
      : '',
  }));
}

const imports = sourceFiles(SOURCE).flatMap(importsOf);
const inside = imports.filter(({ target }) => target !== '' && !target.startsWith('..'));

/**
 * Of `payments/matching/phones.ts` at depth 0 `payments`, at depth 1 `matching`; null for a file that is not that
 * deep.
 */
function folderAt(path: string, depth: number): string | null {
  const parts = path.split('/');
  return parts.length > depth + 1 ? parts[depth]! : null;
}
const described = ({ file, specifier }: Import) => `${file} imports ${specifier}`;

function roomOf(path: string): { folder: string; room: string; floor: number } | null {
  const folder = folderAt(path, 0);
  const room = folderAt(path, 1);
  if (folder === null || room === null || ROOMS[folder] === undefined) return null;
  return { folder, room, floor: ROOMS[folder].findIndex((rooms) => rooms.includes(room)) };
}

/** Groups of files that reach each other (Tarjan), each sorted. */
function circlesOf(edges: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (file: string): void => {
    index.set(file, index.size);
    low.set(file, index.get(file)!);
    stack.push(file);
    for (const next of edges.get(file) ?? []) {
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(file, Math.min(low.get(file)!, low.get(next)!));
    }
    if (low.get(file) !== index.get(file)) return;
    const circle = stack.splice(stack.indexOf(file)).sort();
    if (circle.length > 1) circles.push(circle);
  };
  for (const file of edges.keys()) if (!index.has(file)) visit(file);
  return circles;
}

describe('the house', () => {
  it('is where this test looks', () => {
    expect(inside.length).toBeGreaterThan(1_000);
    for (const folder of FOLDERS)
      expect(
        inside.some(({ file }) => folderAt(file, 0) === folder),
        folder,
      ).toBe(true);
  });

  it('has these folders and files at its top, and no others', () => {
    expect(readdirSync(SOURCE).sort()).toEqual([...FOLDERS, ...FILES].sort());
    for (const [folder, floors] of Object.entries(ROOMS)) {
      const rooms = readdirSync(join(SOURCE, folder), { withFileTypes: true }).filter((one) =>
        one.isDirectory(),
      );
      expect(rooms.map(({ name }) => name).sort(), folder).toEqual(floors.flat().sort());
    }
  });

  it('lets a folder import only what stands above it', () => {
    const wrong = inside.filter(({ file, target }) => {
      const from = folderAt(file, 0);
      if (from === null) return false;
      const to = folderAt(target, 0);
      // `tools` is what starts the application; nothing else may know how it is wired.
      if (to === null) return from !== 'tools';
      return FOLDERS.indexOf(to) > FOLDERS.indexOf(from);
    });
    expect(wrong.map(described)).toEqual([]);
  });

  it('lets a room import only what stands above it', () => {
    const upward = inside.filter(({ file, target }) => {
      const from = roomOf(file);
      const to = roomOf(target);
      if (from === null || to === null || from.folder !== to.folder || from.room === to.room) return false;
      return to.floor >= from.floor;
    });
    expect(upward.map(described)).toEqual([]);
  });

  it('has no circles of imports, types included', () => {
    const edges = new Map<string, Set<string>>();
    for (const { file, target } of inside) edges.set(file, (edges.get(file) ?? new Set()).add(target));
    const circles = circlesOf(edges);
    expect(circles.map((circle) => circle.join(', '))).toEqual([]);
    const forwarded = sourceFiles(SOURCE).filter((file) =>
      readFileSync(file, 'utf8').includes('forwardRef('),
    );
    expect(forwarded).toEqual([]);
  });

  it('lets a feature be entered only through its index', () => {
    const wrong = inside.filter(({ file, target }) => {
      const from = folderAt(file, 0);
      const to = folderAt(target, 0);
      if (to === null || from === to || OPEN.includes(to)) return false;
      // `main.ts` runs a tool; tools have no users inside the house, and no index.
      return to === 'tools' ? file !== 'main.ts' : target !== `${to}/index.ts`;
    });
    expect(wrong.map(described)).toEqual([]);
  });

  it('keeps each extension to itself, and the list of them to whoever wires the service', () => {
    const between = inside.filter(({ file, target }) => {
      if (folderAt(file, 0) !== 'extensions' || folderAt(target, 0) !== 'extensions') return false;
      const own = folderAt(file, 1);
      return own !== null && folderAt(target, 1) !== own && target !== 'extensions/extension.ts';
    });
    expect(between.map(described)).toEqual([]);
    const outside = inside.filter(
      ({ file, target }) =>
        folderAt(file, 0) !== 'extensions' &&
        folderAt(target, 0) === 'extensions' &&
        !KNOW_EXTENSIONS.includes(file),
    );
    expect(outside.map(described)).toEqual([]);
  });

  it('lets only what wires the service import the migrations, and migrations nothing of the service', () => {
    const importers = imports
      .filter(({ target }) => target.startsWith('../migrations/'))
      .map(({ file }) => file);
    expect(importers).toEqual(['app.module.ts']);
    const ofExtensions = sourceFiles(SOURCE).filter((file) => /\/extensions\/[^/]+\/migrations\//.test(file));
    const wrong = [...sourceFiles(resolve('migrations')), ...ofExtensions].flatMap((file) =>
      specifiersOf(file)
        .filter((specifier) => specifier !== 'typeorm' && !specifier.startsWith('./'))
        .map((specifier) => `${file} imports ${specifier}`),
    );
    expect(wrong).toEqual([]);
  });

  it('keeps the kernel pure', () => {
    const wrong = imports.filter(
      ({ file, specifier }) => folderAt(file, 0) === 'kernel' && FORBIDDEN_IN_KERNEL.test(specifier),
    );
    expect(wrong.map(described)).toEqual([]);
  });

  it('has no folder that is too large to take in', () => {
    const counts = new Map<string, number>();
    for (const file of sourceFiles(SOURCE)) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
    const large = [...counts].filter(([, count]) => count > MOST_FILES);
    expect(large.map(([folder, count]) => `${relative(SOURCE, folder)} has ${count} files`)).toEqual([]);
  });

  it('exports names only', () => {
    const wrong = sourceFiles(SOURCE).filter((file) => /^export default/m.test(readFileSync(file, 'utf8')));
    expect(wrong).toEqual([]);
  });
});
