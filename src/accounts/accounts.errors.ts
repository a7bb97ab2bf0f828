import { DomainError, type ProblemCodes } from '../kernel/domain-error.js';

/** For every request without a credential that holds; never says what is wrong with it (contract 1.36). */
export const credentialRequired = () =>
  new DomainError('unauthenticated', 'auth.required', 'A valid credential is required.');

/** The same for an unknown e-mail address, a wrong password and a deactivated account. */
export const invalidCredentials = () =>
  new DomainError(
    'unauthenticated',
    'auth.invalid_credentials',
    'The e-mail address or the password is wrong.',
  );

/** The same for an unknown, spent, expired and ended one. */
export const invalidRefreshToken = () =>
  new DomainError(
    'unauthenticated',
    'auth.invalid_refresh_token',
    'This refresh token is not valid. Sign in again.',
  );

export const forbiddenForRole = () => new DomainError('forbidden', 'auth.forbidden', 'You may not do this.');

/** The password was right, but the account wants a code, too. */
export const secondFactorRequired = () =>
  new DomainError(
    'unauthenticated',
    'auth.second_factor_required',
    'This account has a second factor: send `code` or `recoveryCode`, too.',
  );

export const invalidSecondFactor = () =>
  new DomainError('unauthenticated', 'auth.invalid_second_factor', 'The code is wrong, or was used before.');

export const secondFactorExists = () =>
  new DomainError('conflict', 'auth.second_factor_exists', 'There is a second factor already.');

export const secondFactorNotStarted = () =>
  new DomainError('conflict', 'auth.second_factor_not_started', 'There is no second factor.');

export const passwordChangeRequired = () =>
  new DomainError('forbidden', 'auth.password_change_required', 'The password must be changed first.');

export const secondFactorSetupRequired = () =>
  new DomainError(
    'forbidden',
    'auth.second_factor_setup_required',
    'Admins must set up a second factor first.',
  );

/** Also for somebody else's. */
export const sessionNotFound = () =>
  new DomainError('not_found', 'session.not_found', 'There is no such session.');

/** Neither a role that the company has taken away, nor a service without an admin. */
export const lastAdminDemoted = () =>
  new DomainError(
    'forbidden',
    'auth.last_admin',
    'Your company does not make you an admin any more, but you are the last active one here. There must be another one first.',
  );

export const tooManyAttempts = (retryAfterMs: number) =>
  new DomainError('rate_limited', 'auth.too_many_attempts', 'Too many attempts. Try again later.', {
    retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / 1_000)),
  });

/** More users are signing in at this instant than this replica can check passwords for. */
export const tooBusy = () =>
  new DomainError('unavailable', 'auth.busy', 'Too many sign-ins at once. Try again shortly.', {
    retryAfterSeconds: 1,
  });

export const userNotFound = () => new DomainError('not_found', 'user.not_found', 'There is no such user.');

export const emailTaken = () =>
  new DomainError('conflict', 'user.email_taken', 'There is already a user with this e-mail address.');

export const lastAdmin = () =>
  new DomainError('conflict', 'user.last_admin', 'This is the last active admin, and has to stay one.');

/** Error codes of this feature; published in the OpenAPI document (contract 1.36). */
export const ACCOUNTS_CODES: ProblemCodes = {
  'auth.required': { status: 401, meaning: 'There is no credential, or none that holds.' },
  'auth.invalid_credentials': { status: 401, meaning: 'The e-mail address or the password is wrong.' },
  'auth.invalid_refresh_token': { status: 401, meaning: 'The refresh token does not hold; sign in again.' },
  'auth.second_factor_required': {
    status: 401,
    meaning: 'The password is right, but the account has a second factor; send `code` or `recoveryCode`.',
  },
  'auth.invalid_second_factor': { status: 401, meaning: 'The code is wrong, or was used before.' },
  'auth.password_change_required': {
    status: 403,
    meaning: 'The password must be changed before anything else.',
  },
  'auth.second_factor_setup_required': {
    status: 403,
    meaning: 'Admins must set up a second factor before anything else.',
  },
  'auth.second_factor_exists': { status: 409, meaning: 'There is a second factor already.' },
  'auth.second_factor_not_started': {
    status: 409,
    meaning: 'There is no second factor, or none set up yet.',
  },
  'session.not_found': {
    status: 404,
    meaning: 'There is no such session, or it is over, or somebody else’s.',
  },
  'auth.forbidden': { status: 403, meaning: 'The caller is known, but may not do this.' },
  'auth.last_admin': {
    status: 403,
    meaning:
      'The company’s token takes the role from the last active admin here; there must be another one first.',
  },
  'auth.too_many_attempts': {
    status: 429,
    meaning: 'Too many wrong sign-ins for this account or from this address.',
  },
  'auth.busy': {
    status: 503,
    meaning: 'More users sign in at this instant than passwords can be checked for.',
  },
  'user.not_found': { status: 404, meaning: 'There is no such user.' },
  'user.email_taken': { status: 409, meaning: 'There is a user with this e-mail address already.' },
  'user.last_admin': { status: 409, meaning: 'This is the last active admin, and has to stay one.' },
};
