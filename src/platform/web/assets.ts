import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import {
  brotliCompress,
  brotliCompressSync,
  type BrotliOptions,
  constants,
  gzip,
  gzipSync,
  type ZlibOptions,
} from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../http/index.js';

/** A static file of our pages, held in memory; its compressed forms from the first time that somebody asks for them. */
export class Asset {
  /** Strong entity tag of the plain body; the compressed ones need `Vary: Accept-Encoding` beside it. */
  readonly etag: string;
  private readonly compressed = new Map<ContentCoding, Promise<Buffer>>();

  constructor(
    readonly contentType: string,
    readonly identity: Buffer,
  ) {
    this.etag = `"${createHash('sha256').update(identity).digest('base64url').slice(0, 24)}"`;
  }

  /** The body in a coding. To compress all of them took a fifteenth of the service's start. */
  in(coding: ContentCoding): Promise<Buffer> {
    const known = this.compressed.get(coding);
    if (known !== undefined) return known;
    const body = compress(this.identity, coding);
    this.compressed.set(coding, body);
    return body;
  }
}

/** Files by the names they are served under. */
export type Assets = ReadonlyMap<string, Asset>;

export type ContentCoding = 'identity' | 'gzip' | 'br';

/** The files of a feature: a name, and the files or texts whose contents stand behind it one after the other. */
export type AssetSources = Readonly<Record<string, readonly (URL | string)[]>>;

/**
 * The styles that every page shares; each feature's stylesheet begins with them, so that a page loads one stylesheet.
 */
export const WEB_STYLESHEET = new URL('./assets/web.css', import.meta.url);
/** The styles that the pages for payers share besides. */
export const PAYER_STYLESHEET = new URL('./assets/payer.css', import.meta.url);
export const WEB_ICON = new URL('./assets/icon.svg', import.meta.url);

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
};
/** How much is spent on compressing something. */
interface Effort {
  readonly br?: BrotliOptions;
  readonly gzip?: ZlibOptions;
}

/**
 * A page is compressed for one user and once: the last tenth that could be saved would cost as much as the page
 * itself.
 */
const PAGE_EFFORT: Effort = { br: { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } }, gzip: { level: 2 } };
/**
 * Pages up to this are compressed where they are written, in bytes: the way to another thread and back takes longer.
 */
const MAX_COMPRESSED_AT_ONCE = 64 * 1_024;

/** Reads files once, at the start; a missing one stops it. */
export function loadAssets(sources: AssetSources): Assets {
  return new Map(
    Object.entries(sources).map(([name, files]) => {
      const contentType = CONTENT_TYPES[name.slice(name.lastIndexOf('.') + 1)];
      if (contentType === undefined) throw new Error(`${name} is of no type that is served.`);
      return [
        name,
        new Asset(
          contentType,
          Buffer.concat(
            files.map((file) => (typeof file === 'string' ? Buffer.from(file) : readFileSync(file))),
          ),
        ),
      ];
    }),
  );
}

/**
 * An address that changes with the content, so that the file may be cached for ever and a new version still arrives
 * at once.
 *
 * @param base where the files are served, such as `/pay/assets`
 */
export function assetPath(base: string, name: string, assets: Assets): string {
  const version = assets.get(name)?.etag.replace(/"/g, '').slice(0, 12) ?? '';
  return `${base}/${name}?v=${version}`;
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

/** A rendered page in a coding; most users here are on mobile data, and the text shrinks to a fifth. */
export async function encodePage(page: string, coding: ContentCoding): Promise<Buffer> {
  const body = bytesOf(page);
  if (coding === 'identity' || body.length > MAX_COMPRESSED_AT_ONCE)
    return compress(body, coding, PAGE_EFFORT);
  return coding === 'br' ? brotliCompressSync(body, PAGE_EFFORT.br) : gzipSync(body, PAGE_EFFORT.gzip);
}

async function compress(body: Buffer, coding: ContentCoding, effort: Effort = {}): Promise<Buffer> {
  if (coding === 'br') return promisify(brotliCompress)(body, effort.br ?? {});
  return coding === 'gzip' ? promisify(gzip)(body, effort.gzip ?? {}) : body;
}

/** `Buffer.from` walks through the text twice, first to count its bytes: half of what it costs. */
const DESK = Buffer.allocUnsafeSlow(128 * 1_024);
const MAX_BYTES_A_UNIT = 3;

function bytesOf(text: string): Buffer {
  if (text.length * MAX_BYTES_A_UNIT > DESK.length) return Buffer.from(text);
  return Buffer.from(DESK.subarray(0, DESK.write(text)));
}

/** Names the content of a file by its tag. True when the client has it already: that is answered then. */
export function answerUnchanged(request: FastifyRequest, reply: FastifyReply, asset: Asset): boolean {
  void reply.header('ETag', asset.etag);
  if (request.headers['if-none-match'] !== asset.etag) return false;
  void reply.status(304).send();
  return true;
}

/**
 * Answers with a file, or 304 where the client has it already. Its address names its content, so it never goes stale.
 *
 * @throws DomainError `request.not_found` for null
 */
export async function sendAsset(
  request: FastifyRequest,
  reply: FastifyReply,
  asset: Asset | null,
): Promise<void> {
  if (asset === null) throw notFound();
  void reply.header('Vary', 'Accept-Encoding').header('Cache-Control', 'public, max-age=31536000, immutable');
  if (answerUnchanged(request, reply, asset)) return;
  const coding = chooseCoding(request.headers['accept-encoding']);
  if (coding !== 'identity') void reply.header('Content-Encoding', coding);
  void reply.type(asset.contentType).send(await asset.in(coding));
}
