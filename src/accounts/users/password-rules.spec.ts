import { describe, expect, it } from 'vitest';
import { commonPasswords, passwordProblem } from './password-rules.js';

/*
 * Rules: contract 14.8.
 *
 * Goal: passwords that are tried first are refused with the reason, and no others (contract 14.8). Method: examples.
 */

const OWNER = { email: 'rahima.khatun@example.com', name: 'রহিমা খাতুন Begum' };

describe('passwordProblem', () => {
  it.each(['1234567890', 'qwertyuiop', 'QwertyUIOP', 'password123', '1q2w3e4r5t', 'ｐａｓｓｗｏｒｄ１２３'])(
    'refuses %s, which everybody takes',
    async (password) => expect(await passwordProblem(password, OWNER)).toMatch(/commonest/),
  );

  it.each([
    'rahima.khatun@example.com',
    'Rahima.Khatun@Example.com',
    'rahimakhatun',
    'Rahima Khatun 2026!',
    'রহিমা খাতুন Begum',
    'রহিমাখাতুনbegum',
  ])('refuses %s, which is the own address or name', async (password) =>
    expect(await passwordProblem(password, OWNER)).toMatch(/e-mail address or the name/),
  );

  it.each([
    'seven green boats',
    'correct horse battery',
    'rahima khatun likes tea',
    '          ',
    '9182736450!x',
  ])('takes %j', async (password) => expect(await passwordProblem(password, OWNER)).toBeNull());

  it('knows many, all of them long enough to be set, in lower case', async () => {
    const common = await commonPasswords();
    expect(common.size).toBeGreaterThan(1_500);
    for (const password of common) {
      expect(password.length).toBeGreaterThanOrEqual(10);
      expect(password).toBe(password.toLowerCase());
    }
  });
});
