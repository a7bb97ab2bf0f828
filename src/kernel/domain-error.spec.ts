import { describe, expect, it } from 'vitest';
import { defineProblem, invalidInput, problemsOf } from './domain-error.js';

/*
 * Goal: an error says what callers may know, and keeps what only we may know beside it (contract 1.36). Method: each
 * part given and left out; the one line that names what is wrong.
 */

describe('a problem', () => {
  const tooMany = defineProblem('payment.too_many', 'rate_limited', 'Too many.', {
    meaning: 'Too many submissions.',
    retryAfterSeconds: (seconds: number) => seconds,
  });
  const missing = defineProblem('payment.missing', 'not_found', 'There is no such payment.');
  const busy = defineProblem('payment.busy', 'unavailable', 'Too busy.', { retryAfterSeconds: 5 });
  const lost = defineProblem('payment.lost', 'invalid', (what: string) => `The ${what} is lost.`, {
    meaning: 'Something is lost.',
    errors: [{ pointer: '/what', detail: 'is lost' }],
  });

  it('is the error that callers see', () => {
    const error = tooMany(60);
    expect(error).toBeInstanceOf(Error);
    expect(error.toString()).toBe('DomainError: Too many.');
    expect({ ...error }).toEqual({
      name: 'DomainError',
      kind: 'rate_limited',
      code: 'payment.too_many',
      status: 429,
      retryAfterSeconds: 60,
    });
    expect(busy().retryAfterSeconds).toBe(5);
    expect(lost('key')).toMatchObject({ message: 'The key is lost.', errors: [{ pointer: '/what' }] });
  });

  it('has no cause, no places and no time when it was given none', () => {
    const error = missing();
    expect(Object.hasOwn(error, 'cause')).toBe(false);
    expect([error.errors, error.retryAfterSeconds]).toEqual([undefined, undefined]);
  });

  it('can be said in other words, with a cause', () => {
    const cause = new Error('below');
    const error = busy.saying('Come back later.', { cause });
    expect(error).toMatchObject({ message: 'Come back later.', status: 503, cause, retryAfterSeconds: 5 });
  });

  it('is published with its status and its meaning, in the order of its file', () => {
    expect(Object.entries(problemsOf({ lost, missing, other: 5, tooMany }))).toEqual([
      ['payment.too_many', { status: 429, meaning: 'Too many submissions.' }],
      ['payment.missing', { status: 404, meaning: 'There is no such payment.' }],
      ['payment.lost', { status: 400, meaning: 'Something is lost.' }],
    ]);
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
