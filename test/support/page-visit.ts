import { readFileSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import type { AxeResults } from 'axe-core';
import jsqr from 'jsqr';
import type { BrowserContext, BrowserContextOptions, ConsoleMessage, Page, Request } from 'playwright-core';
import { launchBrowser } from './browser.js';

/** How long a page may take for anything, in milliseconds; a busy machine is slow, a broken page is for ever. */
const PAGE_TIMEOUT_MS = 15_000;
const SCREENSHOTS = resolve('.artifacts/screenshots');
const AXE_SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

// Its types name a default export that its module, being CommonJS, does not have in Node.
const readQrCode = jsqr as unknown as typeof jsqr.default;

/** A small phone of today. */
export const PHONE = { width: 360, height: 740 };

export interface VisitOptions extends BrowserContextOptions {
  /** Statuses of answers that the page is to deal with; the browser reports each of them on its console. */
  readonly expectedStatuses?: readonly number[];
  /** The connection is going to be cut. */
  readonly goesOffline?: boolean;
  /** Another server that the payer may leave for. */
  readonly mayLeaveFor?: string;
}

/** One payer's browser: a context of its own, and everything that must not happen in it. */
export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Addresses of everything the page asked for. */
  readonly requests: readonly string[];
}

interface OpenVisit extends Visit {
  readonly complaints: string[];
}

/** Opens browsers' contexts and, at the end of a test, tells what went wrong in any of them. */
export class Visits {
  private readonly open: OpenVisit[] = [];

  /** @param origin the only server that pages may ask for anything */
  async start(origin: string, options: VisitOptions = {}): Promise<Visit> {
    const { expectedStatuses = [], goesOffline = false, mayLeaveFor, ...contextOptions } = options;
    const browser = await launchBrowser();
    const context = await browser.newContext({
      viewport: PHONE,
      locale: 'bn-BD',
      baseURL: origin,
      ...contextOptions,
    });
    context.setDefaultTimeout(PAGE_TIMEOUT_MS);
    const page = await context.newPage();
    const requests: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => {
      requests.push(request.url());
      const leaves = mayLeaveFor !== undefined && isNavigationTo(mayLeaveFor, request);
      if (new URL(request.url()).origin !== origin && !leaves) complaints.push(`asked for ${request.url()}`);
    });
    page.on('pageerror', (error) => complaints.push(`threw ${error.message}`));
    page.on('console', (message) => {
      if (!isExpected(message, expectedStatuses, goesOffline))
        complaints.push(`${message.type()}: ${message.text()}`);
    });
    const visit = { page, context, requests, complaints };
    this.open.push(visit);
    return visit;
  }

  /**
   * Closes all contexts. Answers what their pages should not have done: requests to other servers, exceptions, and
   * messages on the console, which is where violations of the content security policy are reported.
   */
  async finish(): Promise<string[]> {
    const visits = this.open.splice(0);
    const complaints = visits.flatMap((visit) => visit.complaints.splice(0));
    await Promise.all(visits.map(({ context }) => context.close()));
    return complaints;
  }
}

function isNavigationTo(origin: string, request: Request): boolean {
  const { origin: asked, pathname } = new URL(request.url());
  return asked === origin && (request.isNavigationRequest() || pathname === '/favicon.ico');
}

function isExpected(message: ConsoleMessage, statuses: readonly number[], goesOffline: boolean): boolean {
  const status = /^Failed to load resource: the server responded with a status of (\d{3})/.exec(
    message.text(),
  )?.[1];
  if (status !== undefined) return statuses.includes(Number(status));
  return goesOffline && message.text().includes('net::ERR_INTERNET_DISCONNECTED');
}

/** Findings of axe-core (WCAG 2.2 A, AA and best practices) that are serious or critical, one line each. */
export async function seriousFindings(page: Page, rules: 'all' | 'colour' = 'all'): Promise<string[]> {
  await page.evaluate(`window.axe === undefined && (() => { ${AXE_SOURCE} })()`);
  const options =
    rules === 'all'
      ? '{ preload: false }'
      : `{ preload: false, runOnly: ['color-contrast', 'link-in-text-block'] }`;
  const { violations } = await page.evaluate<AxeResults>(`window.axe.run(document, ${options})`);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

/** How far the page can be scrolled sideways, in CSS pixels. */
export function sidewaysScroll(page: Page): Promise<number> {
  return page.evaluate<number>(`document.documentElement.scrollWidth - document.documentElement.clientWidth`);
}

/** With `KEEP_PICTURES=1` keeps a picture of the whole page, for whoever wants to look at it. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (process.env['KEEP_PICTURES'] !== '1') return;
  const path = resolve(SCREENSHOTS, `${name}.png`);
  await mkdir(dirname(path), { recursive: true });
  await page.screenshot({ path, fullPage: true, animations: 'disabled' });
}

/** What the page and all it loads weigh, unpacked, in bytes. */
export function weightOf(page: Page): Promise<number> {
  return page.evaluate<number>(
    `['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type))
      .reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0)`,
  );
}

/** What a phone's camera would read from a picture (PNG), or null when it is no QR code. */
export async function decodeQr(picture: Buffer | string): Promise<string | null> {
  const png = typeof picture === 'string' ? await readFile(picture) : picture;
  const browser = await launchBrowser();
  const page = await browser.newPage();
  try {
    const { width, height, pixels } = await page.evaluate<{ width: number; height: number; pixels: string }>(
      `(async () => {
        const blob = await (await fetch('data:image/png;base64,${png.toString('base64')}')).blob();
        const bitmap = await createImageBitmap(blob);
        const { width, height } = bitmap;
        const drawing = new OffscreenCanvas(width, height).getContext('2d');
        drawing.drawImage(bitmap, 0, 0);
        const { data } = drawing.getImageData(0, 0, width, height);
        let pixels = '';
        for (let at = 0; at < data.length; at += 32768) pixels += String.fromCharCode(...data.subarray(at, at + 32768));
        return { width, height, pixels: btoa(pixels) };
      })()`,
    );
    return readQrCode(new Uint8ClampedArray(Buffer.from(pixels, 'base64')), width, height)?.data ?? null;
  } finally {
    await page.close();
  }
}
