import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Worker } from 'node:worker_threads';
import { createInflate } from 'node:zlib';
import { Injectable, Logger } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error.js';
import { messageOf } from '../../../kernel/error-text.js';
import { type PaymentQr, readPaymentQr } from '../../../platform/web/emv-qr.js';
import { pictureSize, pngRows } from './picture-size.js';

/** Limits of a picture of a QR code (contract 1.14). */
export const MAX_PICTURE_BYTES = 8 * 1024 * 1024;
const MAX_PIXELS = 40_000_000;

/** How long reading one may take. */
const READING_MS = 15_000;
/** Pictures that wait for the one that is being read; each may take 8 MiB. */
const MAX_WAITING = 4;

const LOGGER = new Logger('QrPictures');
const WORKER = new URL('../../assets/qr-reader-worker.js', import.meta.url);

/** The content of a picture, or what is wrong with the picture. */
export type QrPictureReading =
  | { readonly outcome: 'payment'; readonly text: string; readonly qr: PaymentQr }
  | {
      readonly outcome:
        'no_picture' | 'too_large' | 'no_code' | 'several_codes' | 'no_payment_code' | 'wrong_checksum';
    };

/**
 * Reads the payment QR code on a picture, in a thread that lives as long as that takes, one after the other (contract
 * 1.14). How large a picture says it is, is looked at before anything of it is decoded; what a PNG's rows become is
 * counted first.
 */
@Injectable()
export class QrPictures {
  private waiting = 0;
  private last: Promise<unknown> = Promise.resolve();

  /** Takes in a picture as it comes; null when it is larger than it may be. @throws BodyRefused */
  async receive(file: Readable): Promise<Buffer | null> {
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of file as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > MAX_PICTURE_BYTES) return null;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks, length);
  }

  /** @throws DomainError `service.unavailable` when too many wait already */
  async read(bytes: Buffer): Promise<QrPictureReading> {
    const size = pictureSize(bytes);
    if (size === null) return { outcome: 'no_picture' };
    if (size.width * size.height > MAX_PIXELS) return { outcome: 'too_large' };
    if (size.type === 'png' && !(await unpacksTo(bytes, size.decodedBytes))) return { outcome: 'no_picture' };
    return readingOf(await this.inTurn(() => readInThread(bytes)));
  }

  private async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.waiting >= MAX_WAITING)
      throw new DomainError('unavailable', 'service.unavailable', 'Too many pictures at once.', {
        retryAfterSeconds: 5,
      });
    this.waiting += 1;
    const turn = this.last.then(work);
    this.last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      this.waiting -= 1;
    }
  }
}

function readingOf(texts: readonly string[] | null): QrPictureReading {
  if (texts === null) return { outcome: 'no_picture' };
  const [text, second] = [...new Set(texts)];
  if (text === undefined) return { outcome: 'no_code' };
  if (second !== undefined) return { outcome: 'several_codes' };
  const reading = readPaymentQr(text);
  switch (reading.outcome) {
    case 'payment':
      return { outcome: 'payment', text, qr: reading.qr };
    case 'other':
      return { outcome: 'no_payment_code' };
    case 'wrong_checksum':
      return { outcome: 'wrong_checksum' };
  }
}

/** Whether a PNG's rows are as many as its header says: a small file can hold gigabytes of them. Keeps none of them. */
async function unpacksTo(bytes: Buffer, limit: number): Promise<boolean> {
  const rows = pngRows(bytes);
  if (rows === null) return false;
  let length = 0;
  const count = new Writable({
    write(chunk: Buffer, _encoding, done) {
      length += chunk.length;
      done(length > limit ? new Error('More than the header says.') : null);
    },
  });
  try {
    await pipeline(Readable.from(rows), createInflate(), count);
    return true;
  } catch {
    return false;
  }
}

/** Null when the picture cannot be decoded, or that takes too long. */
function readInThread(bytes: Buffer): Promise<string[] | null> {
  return new Promise((resolve) => {
    const worker = new Worker(WORKER, { workerData: new Uint8Array(bytes) });
    const deadline = setTimeout(() => finish(null), READING_MS);
    function finish(texts: string[] | null): void {
      clearTimeout(deadline);
      resolve(texts);
      void worker.terminate();
    }
    worker.once('message', finish);
    worker.once('error', (error) => {
      LOGGER.debug(messageOf(error));
      finish(null);
    });
    worker.once('exit', () => finish(null));
  });
}
