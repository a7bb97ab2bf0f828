import { describe, expect, it } from 'vitest';
import { answerProblems } from '../support/answer-validation.js';

/*
 * Rules: none: the yardstick of all other specs.
 *
 * Goal: an answer that the document does not say is noticed in every test that meets it.
 */

const JSON_TYPE = 'application/json; charset=utf-8';
const PROBLEM = 'application/problem+json; charset=utf-8';
const login = { method: 'POST', path: '/api/v1/auth/login' };
const tokens = { accessToken: 'a.b.c', refreshToken: 'x', tokenType: 'Bearer', expiresIn: 900 };
const problem = {
  type: 'urn:joma:problem:auth.too_many_attempts',
  title: 'Too Many Requests',
  status: 429,
  detail: 'Too many.',
  instance: '/api/v1/auth/login',
  code: 'auth.too_many_attempts',
  requestId: 'x',
};

describe('the validation of answers', () => {
  it('takes what the document says', () => {
    expect(answerProblems({ ...login, status: 200, contentType: JSON_TYPE, body: tokens })).toEqual([]);
    expect(answerProblems({ ...login, status: 429, contentType: PROBLEM, body: problem })).toEqual([]);
    expect(
      answerProblems({ ...login, path: '/api/v9', status: 404, contentType: PROBLEM, body: {} }),
    ).toEqual([]);
  });

  it.each([
    ['a status that is not there', 418, JSON_TYPE, {}, /is not documented/],
    ['another kind of body', 200, PROBLEM, problem, /has no application\/problem\+json/],
    ['a field of another type', 200, JSON_TYPE, { ...tokens, expiresIn: '900' }, /\/expiresIn must be/],
    [
      'a field that is missing',
      429,
      PROBLEM,
      { ...problem, code: undefined },
      /\/ must have required property 'code'/,
    ],
  ])('notices %s', (_what, status, contentType, body, line) => {
    const sent: unknown = JSON.parse(JSON.stringify(body));
    expect(answerProblems({ ...login, status, contentType, body: sent }).join()).toMatch(line);
  });

  it('looks into what extensions answer', () => {
    const path = '/api/v1/stores/019aa5a1-02f6-7b1d-8a59-6f1f2f6d5a10/days/2026-11-21?x=1';
    const body = { date: '2026-11-21', timeZone: 'Asia/Dhaka', currency: 'BDT', wallets: [{}] };
    const problems = answerProblems({ method: 'GET', path, status: 200, contentType: JSON_TYPE, body });
    expect(problems.join()).toMatch(/\/wallets\/0 must have required property 'provider'/);
  });
});
