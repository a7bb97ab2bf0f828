import { Injectable } from '@nestjs/common';
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { EncryptionSettings } from './encryption.settings.js';

const ALGORITHM = 'aes-256-gcm';
const VERSION = 1;
const KEY_ID_BYTES = 4;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES + IV_BYTES;

/** Which part of a box says under which key it was sealed, for statements: `substring(box FROM 2 FOR 4)`. */
export const KEY_ID_IN_BOX = { from: 2, length: KEY_ID_BYTES } as const;

/** The context of a sealed secret: a ciphertext that is copied to another row or column must not open there. */
export function boxOwner(ownerId: string, kind: string): string {
  return `${ownerId}/${kind}`;
}

/**
 * Keeps secrets recoverable under `ENCRYPTION_KEY` (contract 2.6): AES-256-GCM with a fresh nonce for each. What a box
 * belongs to is authenticated with it, so that a ciphertext moved to another store or column does not open.
 *
 * Layout: version (1 byte), key id (4), nonce (12), ciphertext, tag (16). The key id says which key to open it with:
 * `ENCRYPTION_KEY`, or one of `ENCRYPTION_KEYS_OLD`. Only the former seals.
 */
@Injectable()
export class SecretBox {
  private readonly key: Buffer;
  /** By key id in hex. */
  private readonly keys: ReadonlyMap<string, Buffer>;
  /** Names the key that seals; nothing about the key can be learned from it. */
  readonly keyId: Buffer;

  constructor({ encryptionKey, oldEncryptionKeys }: EncryptionSettings) {
    this.key = encryptionKey;
    this.keyId = keyIdOf(encryptionKey);
    // The current one last: it stands, should it be among the old ones by mistake.
    const keys = [...oldEncryptionKeys, encryptionKey];
    this.keys = new Map(keys.map((key) => [keyIdOf(key).toString('hex'), key]));
  }

  seal(secret: string, belongsTo: string): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.key, iv).setAAD(Buffer.from(belongsTo));
    const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.of(VERSION), this.keyId, iv, ciphertext, cipher.getAuthTag()]);
  }

  /** @throws Error when the box was sealed under an unknown key, for something else, or was changed */
  open(box: Buffer, belongsTo: string): string {
    if (box.length < HEADER_BYTES + TAG_BYTES || box[0] !== VERSION) throw new Error('Not a sealed secret.');
    const key = this.keys.get(box.toString('hex', 1, 1 + KEY_ID_BYTES));
    if (key === undefined) throw new Error('This secret was encrypted under another ENCRYPTION_KEY.');
    const decipher = createDecipheriv(ALGORITHM, key, box.subarray(1 + KEY_ID_BYTES, HEADER_BYTES))
      .setAAD(Buffer.from(belongsTo))
      .setAuthTag(box.subarray(-TAG_BYTES));
    return (
      decipher.update(box.subarray(HEADER_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    );
  }

  /** Whether what was sealed under this key can be opened. */
  knows(keyId: Buffer): boolean {
    return this.keys.has(keyId.toString('hex'));
  }
}

function keyIdOf(key: Buffer): Buffer {
  return createHash('sha256').update('joma key id').update(key).digest().subarray(0, KEY_ID_BYTES);
}
