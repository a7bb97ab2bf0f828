import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import type { CheckoutAssetPaths } from './checkout-view.js';

/** A static file of the checkout page, held in memory with its compressed forms. */
export interface CheckoutAsset {
  contentType: string;
  /** Strong entity tag of the plain body; the compressed ones need `Vary: Accept-Encoding` beside it. */
  etag: string;
  bodies: Readonly<Record<ContentCoding, Buffer>>;
}

export type ContentCoding = 'identity' | 'gzip' | 'br';

const DIRECTORY = new URL('./assets/', import.meta.url);
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  'checkout.css': 'text/css; charset=utf-8',
  'checkout.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};
const PAGE_QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** The files by name, as served under `/pay/assets/`; read once, a missing one stops the start. */
export function loadCheckoutAssets(): ReadonlyMap<string, CheckoutAsset> {
  return new Map(
    Object.entries(CONTENT_TYPES).map(([name, contentType]) => [name, loadAsset(name, contentType)]),
  );
}

/**
 * Addresses that change with the content, so that the files may be cached for ever
 * (`Cache-Control: public, max-age=31536000, immutable`) and a new version still arrives at once.
 */
export function checkoutAssetPaths(assets: ReadonlyMap<string, CheckoutAsset>): CheckoutAssetPaths {
  const path = (name: string): string => {
    const version = assets.get(name)?.etag.replace(/"/g, '').slice(0, 12) ?? '';
    return `/pay/assets/${name}?v=${version}`;
  };
  return { stylesheet: path('checkout.css'), script: path('checkout.js'), icon: path('icon.svg') };
}

/** The best coding the client takes (RFC 9110 §12.5.3): Brotli, then gzip, then none. */
export function chooseCoding(acceptEncoding: string | undefined): ContentCoding {
  const accepted = (acceptEncoding ?? '')
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';').map((part) => part.trim()))
    .filter(([, quality]) => !/^q=0(?:\.0*)?$/.test(quality ?? ''))
    .map(([coding]) => coding);
  if (accepted.includes('br')) return 'br';
  return accepted.includes('gzip') ? 'gzip' : 'identity';
}

/** A rendered page in a coding; most payers are on mobile data, and the text shrinks to a fifth. */
export async function encodePage(page: string, coding: ContentCoding): Promise<Buffer> {
  const body = Buffer.from(page);
  if (coding === 'br') return promisify(brotliCompress)(body, PAGE_QUALITY);
  return coding === 'gzip' ? promisify(gzip)(body) : body;
}

function loadAsset(name: string, contentType: string): CheckoutAsset {
  return makeAsset(contentType, readFileSync(new URL(name, DIRECTORY)));
}

/** A body with its tag and its compressed forms. */
export function makeAsset(contentType: string, identity: Buffer): CheckoutAsset {
  const etag = `"${createHash('sha256').update(identity).digest('base64url').slice(0, 24)}"`;
  return {
    contentType,
    etag,
    bodies: { identity, gzip: gzipSync(identity), br: brotliCompressSync(identity) },
  };
}
