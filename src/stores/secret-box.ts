import { Injectable } from '@nestjs/common';
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { Configuration } from '../config/index.js';

const ALGORITHM = 'aes-256-gcm';
const VERSION = 1;
const KEY_ID_BYTES = 4;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES + IV_BYTES;

/**
 * Keeps secrets recoverable under `ENCRYPTION_KEY` (decisions §2): AES-256-GCM with a fresh nonce for each. What a box
 * belongs to is authenticated with it, so that a ciphertext moved to another store or column does not open.
 *
 * Layout: version (1 byte), key id (4), nonce (12), ciphertext, tag (16). The key id says which key to open it with.
 */
@Injectable()
export class SecretBox {
  private readonly key: Buffer;
  private readonly keyId: Buffer;

  constructor(configuration: Configuration) {
    this.key = configuration.encryptionKey;
    this.keyId = createHash('sha256')
      .update('joma key id')
      .update(this.key)
      .digest()
      .subarray(0, KEY_ID_BYTES);
  }

  seal(secret: string, belongsTo: string): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.key, iv).setAAD(Buffer.from(belongsTo));
    const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.of(VERSION), this.keyId, iv, ciphertext, cipher.getAuthTag()]);
  }

  /** @throws Error when the box was sealed under another key, for something else, or was changed */
  open(box: Buffer, belongsTo: string): string {
    if (box.length < HEADER_BYTES + TAG_BYTES || box[0] !== VERSION) throw new Error('Not a sealed secret.');
    if (!box.subarray(1, 1 + KEY_ID_BYTES).equals(this.keyId)) {
      throw new Error('This secret was encrypted under another ENCRYPTION_KEY.');
    }
    const decipher = createDecipheriv(ALGORITHM, this.key, box.subarray(1 + KEY_ID_BYTES, HEADER_BYTES))
      .setAAD(Buffer.from(belongsTo))
      .setAuthTag(box.subarray(-TAG_BYTES));
    return (
      decipher.update(box.subarray(HEADER_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    );
  }
}
