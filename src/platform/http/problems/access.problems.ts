import { defineProblem } from '../../../kernel/domain-error.js';

/** For every request without a credential that holds; never says what is wrong with it (contract 1.36). */
export const credentialRequired = defineProblem(
  'auth.required',
  'unauthenticated',
  'A valid credential is required.',
  { meaning: 'There is no credential, or none that holds.' },
);

export const forbidden = defineProblem('auth.forbidden', 'forbidden', 'You may not do this.', {
  meaning: 'The caller is known, but may not do this.',
});
