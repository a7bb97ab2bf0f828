import { parseOptions } from '@node-rs/argon2';
import { beforeAll, describe, expect, it } from 'vitest';
import { PasswordHasher } from './password-hasher.js';

describe('PasswordHasher', () => {
  const passwords = new PasswordHasher();
  beforeAll(() => passwords.onModuleInit());

  it('writes Argon2id with 19 MiB and two passes, salted anew each time', async () => {
    const first = await passwords.hash('correct horse battery');
    const second = await passwords.hash('correct horse battery');
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(parseOptions(first)).toMatchObject({ outputLen: 32, saltLen: 16 });
    expect(second).not.toBe(first);
  });

  it('knows the right password from a wrong one, by every character up to the last of 128', async () => {
    const password = 'ক'.repeat(127) + 'a';
    const hash = await passwords.hash(password);
    await expect(passwords.verify(hash, password)).resolves.toBe(true);
    await expect(passwords.verify(hash, 'ক'.repeat(127) + 'b')).resolves.toBe(false);
    await expect(passwords.verify(hash, `${password} `)).resolves.toBe(false);
  });

  it('takes both spellings of a Bangla letter for one', async () => {
    const [composed, decomposed] = ['\u09df', '\u09af\u09bc'].map((letter) => letter.repeat(10)) as [
      string,
      string,
    ];
    expect(composed).not.toBe(decomposed);
    await expect(passwords.verify(await passwords.hash(composed), decomposed)).resolves.toBe(true);
  });

  it('lets nobody in where there is no account', async () => {
    await expect(passwords.verify(null, '')).resolves.toBe(false);
    await expect(passwords.verify(null, 'correct horse battery')).resolves.toBe(false);
  });
});
