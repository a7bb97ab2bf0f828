import { settings } from './configuration.js';
import { itemsOf, type Kind, setting } from './setting.js';

const KEY_BYTES = 32;
const MAX_OLD_KEYS = 20;

/** 32 bytes in base64 or base64url. */
function keyOf(text: string): Buffer | undefined {
  const key = /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null;
  return key?.length === KEY_BYTES ? key : undefined;
}

const KEY: Kind<Buffer> = {
  expected: 'exactly 32 bytes in base64',
  parse: keyOf,
  secret: true,
};

const KEYS: Kind<readonly Buffer[]> = {
  expected: `at most ${MAX_OLD_KEYS} keys of 32 bytes in base64 with commas between`,
  parse(value) {
    const keys = itemsOf(value).map(keyOf);
    return keys.length <= MAX_OLD_KEYS && keys.every((key) => key !== undefined) ? keys : undefined;
  },
  secret: true,
};

/** The keys of everything that is kept recoverable. */
export abstract class EncryptionSettings extends settings({
  encryptionKey: setting(
    'ENCRYPTION_KEY',
    '',
    '32 bytes in base64 (`openssl rand -base64 32`). Encrypts the secrets that are kept.',
    KEY,
    {
      shownDefault: 'generated outside production',
      generated: { file: 'encryption-key', needed: '32 bytes in base64 (openssl rand -base64 32)' },
    },
  ),
  /** Only for opening what they sealed. */
  oldEncryptionKeys: setting(
    'ENCRYPTION_KEYS_OLD',
    '',
    'Keys that were `ENCRYPTION_KEY` before, with commas between; they only open what they sealed.',
    KEYS,
    { shownDefault: 'none' },
  ),
}) {}
