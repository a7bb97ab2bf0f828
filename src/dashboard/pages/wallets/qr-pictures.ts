import type { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { Injectable, Logger } from '@nestjs/common';
import { serviceUnavailable } from '../../../kernel/domain-error.js';
import { messageOf } from '../../../kernel/error-text.js';
import { type PaymentQr, readPaymentQr } from '../../../platform/web/emv-qr.js';
import { PictureTurns } from './picture-turns.js';
import { pictureSize } from './picture-size.js';

/** Limits of a picture of a QR code (contract 1.14 and 14.39). */
export const MAX_PICTURE_BYTES = 8 * 1024 * 1024;
const MAX_PIXELS = 40_000_000;
const MAX_DECODED_BYTES = 64 * 1024 * 1024;

/** How long reading one picture may take, in milliseconds, once its thread has read what it needs. */
const READING_MS = 2_000;
/** How long a thread may take to begin, in milliseconds: it compiles the reader. */
const STARTING_MS = 5_000;

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
 * Reads the payment QR code on a picture, in a thread of its own (contract 1.14). The size in the header of the picture
 * is checked before anything is decoded; the thread counts the bytes of a PNG's rows before it draws them. Stores take
 * turns.
 */
@Injectable()
export class QrPictures {
  private readonly turns = new PictureTurns();

  /** Takes in a picture as it comes; null when it is larger than it may be. @throws DomainError */
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

  /** @throws DomainError `service.unavailable` when pictures of other stores took too long, or too many wait already */
  async read(storeId: string, bytes: Buffer): Promise<QrPictureReading> {
    const size = pictureSize(bytes);
    if (size === null) return { outcome: 'no_picture' };
    if (size.width * size.height > MAX_PIXELS || size.decodedBytes > MAX_DECODED_BYTES)
      return { outcome: 'too_large' };
    const read = await this.turns.take(storeId, () => readInThread(bytes, size.decodedBytes));
    if (read === 'busy')
      throw serviceUnavailable.saying('Too many pictures at once.', {
        retryAfterSeconds: 5,
      });
    return readingOf(read);
  }
}

function readingOf(texts: readonly string[] | 'too_much_work' | null): QrPictureReading {
  if (texts === null) return { outcome: 'no_picture' };
  if (texts === 'too_much_work') return { outcome: 'too_large' };
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

/** The texts on a picture; `too_much_work` when its time is over; null when the picture cannot be decoded. */
function readInThread(
  bytes: Buffer,
  decodedBytes: number,
): Promise<readonly string[] | 'too_much_work' | null> {
  return new Promise((resolve) => {
    const worker = new Worker(WORKER, { workerData: { bytes: new Uint8Array(bytes), decodedBytes } });
    let deadline = setTimeout(() => finish('too_much_work'), STARTING_MS);
    function finish(result: readonly string[] | 'too_much_work' | null): void {
      clearTimeout(deadline);
      resolve(result);
      void worker.terminate();
    }
    worker.on('message', (message: 'begun' | readonly string[] | null) => {
      if (message !== 'begun') return finish(message);
      clearTimeout(deadline);
      deadline = setTimeout(() => finish('too_much_work'), READING_MS);
    });
    worker.once('error', (error) => {
      LOGGER.debug(messageOf(error));
      finish(null);
    });
    worker.once('exit', () => finish(null));
  });
}
