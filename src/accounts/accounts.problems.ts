import { defineProblem } from '../kernel/domain-error.js';

export { credentialRequired, forbidden } from '../platform/http/index.js';

/** The same for an unknown e-mail address, a wrong password and a deactivated account. */
export const invalidCredentials = defineProblem(
  'auth.invalid_credentials',
  'unauthenticated',
  'The e-mail address or the password is wrong.',
);

/** The same for an unknown, spent, expired and ended one. */
export const invalidRefreshToken = defineProblem(
  'auth.invalid_refresh_token',
  'unauthenticated',
  'This refresh token is not valid. Sign in again.',
  { meaning: 'The refresh token does not hold; sign in again.' },
);

/** The password was right, but the account wants a code, too. */
export const secondFactorRequired = defineProblem(
  'auth.second_factor_required',
  'unauthenticated',
  'This account has a second factor: send `code` or `recoveryCode`, too.',
  { meaning: 'The password is right, but the account has a second factor; send `code` or `recoveryCode`.' },
);

export const invalidSecondFactor = defineProblem(
  'auth.invalid_second_factor',
  'unauthenticated',
  'The code is wrong, or was used before.',
);

export const passwordChangeRequired = defineProblem(
  'auth.password_change_required',
  'forbidden',
  'The password must be changed first.',
  { meaning: 'The password must be changed before anything else.' },
);

export const secondFactorSetupRequired = defineProblem(
  'auth.second_factor_setup_required',
  'forbidden',
  'Admins must set up a second factor first.',
  { meaning: 'Admins must set up a second factor before anything else.' },
);

export const secondFactorExists = defineProblem(
  'auth.second_factor_exists',
  'conflict',
  'There is a second factor already.',
);

export const secondFactorNotStarted = defineProblem(
  'auth.second_factor_not_started',
  'conflict',
  'There is no second factor.',
  { meaning: 'There is no second factor, or none set up yet.' },
);

/** Also for somebody else's. */
export const sessionNotFound = defineProblem('session.not_found', 'not_found', 'There is no such session.', {
  meaning: 'There is no such session, or it is over, or somebody else’s.',
});

/** Neither a role that the company has taken away, nor a service without an admin. */
export const lastAdminDemoted = defineProblem(
  'auth.last_admin',
  'forbidden',
  'Your company does not make you an admin any more, but you are the last active one here. There must be another one first.',
  {
    meaning:
      'The company’s token takes the role from the last active admin here; there must be another one first.',
  },
);

export const tooManySignIns = defineProblem(
  'auth.too_many_attempts',
  'rate_limited',
  'Too many attempts. Try again later.',
  {
    meaning: 'Too many wrong sign-ins for this account or from this address.',
    retryAfterSeconds: (retryAfterMs: number) => Math.max(1, Math.ceil(retryAfterMs / 1_000)),
  },
);

/** More users are signing in at this instant than this replica can check passwords for. */
export const tooBusy = defineProblem(
  'auth.busy',
  'unavailable',
  'Too many sign-ins at once. Try again shortly.',
  {
    meaning: 'More users sign in at this instant than passwords can be checked for.',
    retryAfterSeconds: 1,
  },
);

export const userNotFound = defineProblem('user.not_found', 'not_found', 'There is no such user.');

export const emailTaken = defineProblem(
  'user.email_taken',
  'conflict',
  'There is already a user with this e-mail address.',
  { meaning: 'There is a user with this e-mail address already.' },
);

export const lastAdmin = defineProblem(
  'user.last_admin',
  'conflict',
  'This is the last active admin, and has to stay one.',
);
