import { describe, expect, it } from 'vitest';
import { SecretBox } from './secret-box.js';

const boxUnder = (byte: number, ...oldBytes: number[]) =>
  new SecretBox({
    encryptionKey: Buffer.alloc(32, byte),
    oldEncryptionKeys: oldBytes.map((old) => Buffer.alloc(32, old)),
  });

describe('SecretBox', () => {
  const box = boxUnder(1);

  it('opens what it sealed, and never seals alike twice', () => {
    const first = box.seal('joma_sk_secret', 'store-1/api_key');
    const second = box.seal('joma_sk_secret', 'store-1/api_key');
    expect(first.equals(second)).toBe(false);
    expect(first.includes(Buffer.from('secret'))).toBe(false);
    expect(box.open(first, 'store-1/api_key')).toBe('joma_sk_secret');
  });

  it('does not open a secret that was moved to another store', () => {
    expect(() => box.open(box.seal('s', 'store-1/api_key'), 'store-2/api_key')).toThrow();
  });

  it('does not open a changed box, whichever byte was changed', () => {
    const sealed = box.seal('s', 'a');
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
      expect(() => box.open(changed, 'a')).toThrow();
    }
  });

  it('says so when the key is another one', () => {
    expect(() => boxUnder(2).open(box.seal('s', 'a'), 'a')).toThrow(/another ENCRYPTION_KEY/);
  });

  it('opens what old keys sealed, and seals under the new one alone', () => {
    const renewed = boxUnder(3, 2, 1);
    expect(renewed.open(box.seal('first', 'a'), 'a')).toBe('first');
    expect(renewed.open(boxUnder(2).seal('second', 'a'), 'a')).toBe('second');
    expect(boxUnder(3).open(renewed.seal('third', 'a'), 'a')).toBe('third');
    expect(() => box.open(renewed.seal('third', 'a'), 'a')).toThrow(/another ENCRYPTION_KEY/);
    expect(() => renewed.open(box.seal('first', 'a'), 'b')).toThrow();
    expect([renewed.knows(box.keyId), box.knows(renewed.keyId)]).toEqual([true, false]);
  });

  it('is not confused by its own key among the old ones', () => {
    expect(boxUnder(1, 1).open(box.seal('s', 'a'), 'a')).toBe('s');
  });
});
