import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inflateSync } from 'node:zlib';
import { chromium, type Browser } from 'playwright-core';

/*
 * A real Chromium from npm packages alone: no system browser, library or font is needed, root is allowed.
 * The browser is unpacked once per package version into node_modules/.cache and shared by all processes.
 */

const NODE_MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const BROWSER_PACKAGE = '@sparticuz/chromium';
const FONT_PACKAGE = '@fontsource/noto-sans-bengali';
const UNPACK_TIMEOUT_MS = 120_000;
const LAUNCH_TIMEOUT_MS = 60_000;
const FONT_WEIGHTS = [400, 600, 700];

// The package's own defaults switch web security off, and a page under test must meet the real browser.
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--font-render-hinting=none',
];

let running: Promise<Browser> | null = null;

/**
 * Starts Chromium, or gives the one this process has started already.
 * `CHROMIUM_PATH` names another executable, for machines the npm package has no binary for (it is Linux x64).
 */
export function launchBrowser(): Promise<Browser> {
  running ??= launch().catch((error: unknown) => {
    running = null;
    throw error;
  });
  return running;
}

/** Ends the browser this process started; harmless when there is none. */
export async function closeBrowser(): Promise<void> {
  const stopping = running;
  running = null;
  await (await stopping?.catch(() => null))?.close();
}

async function launch(): Promise<Browser> {
  const ownPath = process.env['CHROMIUM_PATH'];
  if (ownPath) {
    return chromium.launch({ executablePath: ownPath, args: FLAGS, timeout: LAUNCH_TIMEOUT_MS });
  }
  const directory = await unpackOnce();
  const libraries = join(directory, 'al2023', 'lib');
  const inherited = process.env['LD_LIBRARY_PATH'];
  return chromium.launch({
    executablePath: join(directory, 'chromium'),
    args: FLAGS,
    timeout: LAUNCH_TIMEOUT_MS,
    env: {
      ...definedOnly(process.env),
      LD_LIBRARY_PATH: inherited ? `${libraries}:${inherited}` : libraries,
      FONTCONFIG_FILE: join(directory, 'joma-fonts.conf'),
    },
  });
}

function definedOnly(environment: NodeJS.ProcessEnv): Record<string, string> {
  const entries = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(entries);
}

/** Unpacks beside the target and renames, so that a process that comes second never meets half a browser. */
async function unpackOnce(): Promise<string> {
  const cache = join(NODE_MODULES, '.cache');
  const versions = await Promise.all([BROWSER_PACKAGE, FONT_PACKAGE].map(packageVersion));
  const target = join(cache, `joma-browser-${versions.join('-')}`);
  if (existsSync(target)) return target;

  const staging = join(cache, `joma-browser-${randomUUID()}`);
  await mkdir(staging, { recursive: true });
  try {
    await unpackChromium(staging);
    await installFonts(staging, target);
    await rename(staging, target);
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
  return target;
}

async function packageVersion(name: string): Promise<string> {
  const manifest = JSON.parse(await readFile(join(NODE_MODULES, name, 'package.json'), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}

/**
 * The package always writes to the directory for temporary files and reads its environment when it is loaded,
 * so it runs in a process of its own, whose environment may be changed freely.
 */
async function unpackChromium(directory: string): Promise<void> {
  const script = `import { default as chromium } from '${BROWSER_PACKAGE}'; await chromium.executablePath();`;
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: join(NODE_MODULES, '..'),
    timeout: UNPACK_TIMEOUT_MS,
    env: { ...process.env, TMPDIR: directory, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x' },
  });
}

/** Its only font is Latin, so Noto Sans Bengali comes from npm; web font files are turned back into TrueType. */
async function installFonts(staging: string, target: string): Promise<void> {
  const fonts = join(staging, 'fonts', 'fonts');
  await mkdir(fonts, { recursive: true });
  for (const subset of ['bengali', 'latin', 'latin-ext']) {
    for (const weight of FONT_WEIGHTS) {
      const name = `noto-sans-bengali-${subset}-${String(weight)}-normal`;
      const webFont = await readFile(join(NODE_MODULES, FONT_PACKAGE, 'files', `${name}.woff`));
      await writeFile(join(fonts, `${name}.ttf`), trueTypeFromWoff(webFont));
    }
  }
  const families = ['system-ui', 'sans-serif'].map(
    (family) =>
      `<alias><family>${family}</family><prefer><family>Noto Sans Bengali</family></prefer></alias>`,
  );
  const configuration = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(target, 'fonts', 'fonts')}</dir>
  <cachedir>${join(target, 'fonts-cache')}</cachedir>
  ${families.join('\n  ')}
</fontconfig>
`;
  await writeFile(join(staging, 'joma-fonts.conf'), configuration);
}

/** WOFF 1 is the TrueType tables, each deflated, behind another directory (W3C WOFF 1.0, sections 3 to 5). */
export function trueTypeFromWoff(woff: Buffer): Buffer {
  if (woff.toString('latin1', 0, 4) !== 'wOFF') throw new Error('not a WOFF 1 font');
  const tableCount = woff.readUInt16BE(12);
  const entrySelector = Math.floor(Math.log2(tableCount));
  const searchRange = 16 * 2 ** entrySelector;
  const header = Buffer.alloc(12 + 16 * tableCount);
  woff.copy(header, 0, 4, 8);
  header.writeUInt16BE(tableCount, 4);
  header.writeUInt16BE(searchRange, 6);
  header.writeUInt16BE(entrySelector, 8);
  header.writeUInt16BE(16 * tableCount - searchRange, 10);

  const tables: Buffer[] = [];
  let offset = header.length;
  for (let index = 0; index < tableCount; index += 1) {
    const entry = 44 + 20 * index;
    const packedAt = woff.readUInt32BE(entry + 4);
    const packedBytes = woff.readUInt32BE(entry + 8);
    const tableBytes = woff.readUInt32BE(entry + 12);
    const packed = woff.subarray(packedAt, packedAt + packedBytes);
    const table = packedBytes < tableBytes ? inflateSync(packed) : packed;
    const record = 12 + 16 * index;
    woff.copy(header, record, entry, entry + 4);
    woff.copy(header, record + 4, entry + 16, entry + 20);
    header.writeUInt32BE(offset, record + 8);
    header.writeUInt32BE(tableBytes, record + 12);
    const padded = Buffer.alloc(Math.ceil(tableBytes / 4) * 4);
    table.copy(padded);
    tables.push(padded);
    offset += padded.length;
  }
  return Buffer.concat([header, ...tables]);
}
