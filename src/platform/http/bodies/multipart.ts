import type * as BusboyLibrary from '@fastify/busboy';
import type { FastifyRequest } from 'fastify';
import { createRequire } from 'node:module';
import { PassThrough, type Readable } from 'node:stream';
import { DomainError, requestInvalid } from '../../../kernel/domain-error.js';
import { isStorableText } from '../../../kernel/text.js';
import { uploadOf } from './request-body.js';

const require = createRequire(import.meta.url);

/** Fields of a form before its file; the file itself has the limit of the route. */
const MAX_FIELDS = 20;
const MAX_FIELD_BYTES = 4 * 1024;

/** One file that was uploaded, alone or as the file of a form. */
export interface Upload {
  /** The fields that stood in the form before the file; empty without a form. */
  readonly fields: Readonly<Record<string, string>>;
  /** Unread. Its error is the answer when too much comes, too slowly, or less than was announced. */
  readonly file: Readable;
}

/**
 * The file of a route that `@UploadBody`: the body itself, or of `multipart/form-data` the first file with a name,
 * and the fields before it. Nothing is kept: what comes is handed on as it is read.
 *
 * @throws DomainError 400 when the form holds no file or cannot be read, 413, 408
 */
export async function readUpload(request: FastifyRequest): Promise<Upload> {
  const body = uploadOf(request);
  const type = request.headers['content-type'] ?? '';
  if (!/^\s*multipart\/form-data\b/i.test(type)) return { fields: {}, file: body };
  return readForm(body, type);
}

function readForm(body: Readable, contentType: string): Promise<Upload> {
  return new Promise((resolve, reject) => {
    // It may have failed while nobody read it: what was refused then is the answer.
    if (body.errored !== null) return reject(body.errored);
    const form = formReader(contentType);
    const fields: Record<string, string> = Object.create(null) as Record<string, string>;
    const file = new PassThrough();
    let isFound = false;
    const fail = (error: unknown): void => {
      const refusal = error instanceof DomainError ? error : unreadable();
      file.destroy(refusal);
      reject(refusal);
    };
    // A reader that does not want the rest of the file wants nothing more of the body.
    file
      .on('error', () => undefined)
      .once('close', () => {
        body.unpipe(form);
        body.destroy();
      });
    form.on('field', (name, value) => {
      if (isStorableText(name) && isStorableText(value)) fields[name] = value;
      else fail(unreadable());
    });
    form.on('file', (_field, found, name: string | undefined) => {
      if (isFound || name === undefined || name === '') return void found.resume();
      isFound = true;
      found.on('error', fail).pipe(file);
      resolve({ fields, file });
    });
    form.on('error', fail);
    form.on('finish', () => {
      if (!isFound) fail(requestInvalid.saying('The form holds no file.'));
    });
    body.on('error', fail).pipe(form);
  });
}

/**
 * The library is read with the first form, and at once: while we waited, nobody would hear what becomes of the body.
 */
function formReader(contentType: string): InstanceType<typeof BusboyLibrary.Busboy> {
  const { Busboy: FormReader } = require('@fastify/busboy') as typeof BusboyLibrary;
  try {
    // Without a boundary the library throws.
    return new FormReader({
      headers: { 'content-type': contentType },
      limits: { fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES, files: 1, headerPairs: 50 },
    });
  } catch {
    throw unreadable();
  }
}

function unreadable(): DomainError {
  return requestInvalid.saying('The form cannot be read: it is broken, or it was broken off.');
}
