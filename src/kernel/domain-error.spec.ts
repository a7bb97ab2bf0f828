import { describe, expect, it } from 'vitest';
import { DomainError, invalidInput } from './domain-error.js';

/*
 * Goal: an error says what callers may know, and keeps what only we may know beside it (contract 1.36). Method: each
 * part given and left out; the one line that names what is wrong.
 */

describe('DomainError', () => {
  it('carries its kind, its code and what it was given', () => {
    const cause = new Error('below');
    const errors = [{ pointer: '/amount', detail: 'must be a number' }];
    const error = new DomainError('rate_limited', 'payment.too_many_attempts', 'Too many.', {
      cause,
      errors,
      retryAfterSeconds: 60,
    });
    expect(error).toBeInstanceOf(Error);
    expect(error.toString()).toBe('DomainError: Too many.');
    expect({ ...error, cause: error.cause }).toEqual({
      name: 'DomainError',
      kind: 'rate_limited',
      code: 'payment.too_many_attempts',
      errors,
      retryAfterSeconds: 60,
      cause,
    });
  });

  it('has no cause, no places and no time when it was given none', () => {
    const error = new DomainError('not_found', 'payment.not_found', 'There is no such payment.');
    expect(Object.hasOwn(error, 'cause')).toBe(false);
    expect([error.errors, error.retryAfterSeconds]).toEqual([undefined, undefined]);
  });
});

describe('invalidInput', () => {
  const problem = (pointer: string) => ({ pointer, detail: 'is wrong' });

  it('names the first three places, and keeps all', () => {
    const errors = ['/a', '', '/c', '/d'].map(problem);
    const error = invalidInput(errors);
    expect(error.message).toBe('/a: is wrong; /: is wrong; /c: is wrong');
    expect(error).toMatchObject({ kind: 'invalid', code: 'request.invalid', errors });
  });

  it('says something also when no place is to blame', () => {
    expect(invalidInput([]).message).toBe('The request is not valid.');
  });
});
