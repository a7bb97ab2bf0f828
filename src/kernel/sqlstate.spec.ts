import { describe, expect, it } from 'vitest';
import { isRetryable, isUnavailable, isUniqueViolation } from './sqlstate.js';

/*
 * Goal: what may succeed when it is run again, what breaks a constraint and what means that the database is away are
 * told apart, since one is tried again, one is the caller's, and one is a 503. Method: every code and message that is
 * known, each asked of all three; and neighbours that must not be taken for them.
 */

const failure = (code?: string, more: object = {}) => Object.assign(new Error('failed'), { code }, more);

describe('an error of PostgreSQL', () => {
  it.each<[string, { retryable?: true; unique?: true; unavailable?: true }]>([
    ['40001', { retryable: true }],
    ['40P01', { retryable: true }],
    ['40002', {}],
    ['23505', { unique: true }],
    ['23503', {}],
    ['23514', {}],
    ['57P01', { unavailable: true }],
    ['57P02', { unavailable: true }],
    ['57P03', { unavailable: true }],
    ['57014', {}],
    ['53300', { unavailable: true }],
    ['53400', { unavailable: true }],
    ['53000', { unavailable: true }],
    ['53100', { unavailable: true }],
    ['53200', { unavailable: true }],
    ['57P04', { unavailable: true }],
    ['57P05', { unavailable: true }],
    ['3D000', { unavailable: true }],
    ['28000', { unavailable: true }],
    ['28P01', { unavailable: true }],
    ['25006', { unavailable: true }],
    ['25001', {}],
    ['3F000', {}],
    ['08000', { unavailable: true }],
    ['08003', { unavailable: true }],
    ['08006', { unavailable: true }],
    ['0800', { unavailable: true }],
    ['42P08', {}],
    ['22008', {}],
    ['42601', {}],
    ['ECONNREFUSED', { unavailable: true }],
    ['ECONNRESET', { unavailable: true }],
    ['ETIMEDOUT', { unavailable: true }],
    ['EPIPE', { unavailable: true }],
    ['ENOTFOUND', { unavailable: true }],
    ['EAI_AGAIN', { unavailable: true }],
    ['EHOSTUNREACH', { unavailable: true }],
    ['EACCES', {}],
    ['', {}],
  ])('with the code %j is %o', (code, is) => {
    const error = failure(code);
    expect({
      retryable: isRetryable(error),
      unique: isUniqueViolation(error),
      unavailable: isUnavailable(error),
    }).toEqual({ retryable: false, unique: false, unavailable: false, ...is });
  });

  it.each([
    ['Connection terminated unexpectedly', true],
    ['Query read timeout', true],
    ['Connection terminated due to connection timeout', true],
    ['timeout exceeded when trying to connect', true],
    ['Client has encountered a connection error and is not queryable', true],
    ['Cannot use a pool after calling end on the pool', true],
    ['duplicate key value violates unique constraint "users_email_key"', false],
    ['syntax error at or near "connect"', false],
    ['', false],
  ])('without a code, saying %j, means that the server is away: %s', (message, away) => {
    expect(isUnavailable(new Error(message))).toBe(away);
    expect(isRetryable(new Error(message))).toBe(false);
    expect(isUniqueViolation(new Error(message))).toBe(false);
  });

  it('is judged by its message also when its code says nothing about it', () => {
    expect(isUnavailable(failure('XX000', { message: 'Connection terminated' }))).toBe(true);
  });

  it('may have neither a code nor a message', () => {
    for (const nothing of [{}, 'text', 7]) {
      expect([isRetryable(nothing), isUniqueViolation(nothing), isUnavailable(nothing)]).toEqual([
        false,
        false,
        false,
      ]);
    }
  });
});

describe('isUniqueViolation', () => {
  const broken = failure('23505', { constraint: 'users_email_key' });

  it('asks for the constraint only when one is named', () => {
    expect(isUniqueViolation(broken)).toBe(true);
    expect(isUniqueViolation(broken, 'users_email_key')).toBe(true);
    expect(isUniqueViolation(broken, 'users_pkey')).toBe(false);
    expect(isUniqueViolation(failure('23505'), 'users_pkey')).toBe(false);
  });

  it('is not misled by the constraint of another failure', () => {
    expect(isUniqueViolation(failure('23503', { constraint: 'users_email_key' }), 'users_email_key')).toBe(
      false,
    );
  });
});
