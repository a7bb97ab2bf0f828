import type { DomainError } from '../../kernel/domain-error.js';
import { forbidden } from '../../platform/http/index.js';

/** Not signed in (any more): leads to the sign-in page, and back afterwards. */
export class SignInRequired extends Error {
  constructor() {
    super('Sign in first.');
    this.name = 'SignInRequired';
  }
}

/**
 * The password must be changed, or a second factor set up, before anything else: leads to one's own account (contract
 * 14.11 and 14.18).
 */
export class AccountFirst extends Error {
  constructor() {
    super('See to your account first.');
    this.name = 'AccountFirst';
  }
}

/** A form from another site, or without the token of this session (contract 10.29). Nothing was changed. */
export const foreignForm = (): DomainError =>
  forbidden.saying('This form does not come from a page of this service.');
