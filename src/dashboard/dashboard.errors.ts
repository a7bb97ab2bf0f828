import { DomainError } from '../kernel/domain-error.js';

/** Not signed in (any more): leads to the sign-in page, and back afterwards. */
export class SignInRequired extends Error {
  constructor() {
    super('Sign in first.');
    this.name = 'SignInRequired';
  }
}

/** A form from another site, or without the token of this session (decisions §10). Nothing was changed. */
export const foreignForm = () =>
  new DomainError('forbidden', 'auth.forbidden', 'This form does not come from a page of this service.');
