import {
  choice,
  is,
  isProduction,
  type Kind,
  rateLimit,
  setting,
  settings,
} from '../platform/config/index.js';
import { characterCount } from '../kernel/text.js';
import { MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS } from './users/password-hasher.js';

const MIN_SECRET_CHARACTERS = 32;

const SIGNING_SECRET: Kind<string> = {
  expected: `at least ${MIN_SECRET_CHARACTERS} characters long`,
  parse: (value) => (value.length >= MIN_SECRET_CHARACTERS ? value : undefined),
  secret: true,
};

const EMAIL: Kind<string> = {
  expected: 'an e-mail address',
  parse: (value) => (/^[^\s@]{1,64}@[^\s@]{1,189}$/.test(value) ? value.toLowerCase() : undefined),
};

const PASSWORD: Kind<string> = {
  expected: `${MIN_PASSWORD_CHARACTERS} to ${MAX_PASSWORD_CHARACTERS} characters long`,
  parse(value) {
    const count = characterCount(value);
    return count >= MIN_PASSWORD_CHARACTERS && count <= MAX_PASSWORD_CHARACTERS ? value : undefined;
  },
  secret: true,
  untrimmed: true,
};

export abstract class AccountsSettings extends settings(
  {
    /** Signs access tokens with HS256. */
    jwtSecret: setting('JWT_SECRET', '', 'At least 32 characters. Signs access tokens.', SIGNING_SECRET, {
      shownDefault: 'generated outside production',
      generated: { file: 'jwt-secret', needed: `at least ${MIN_SECRET_CHARACTERS} characters` },
    }),
    adminEmail: setting(
      'ADMIN_EMAIL',
      'admin@joma.local',
      'The first admin, created while there is no user.',
      EMAIL,
    ),
    /** Null lets development generate one, and print it once. */
    adminPassword: setting('ADMIN_PASSWORD', null, '10 to 128 characters.', PASSWORD, {
      shownDefault: 'generated outside production, printed once',
    }),
    adminSecondFactorRequired: is(
      choice(
        'ADMIN_SECOND_FACTOR',
        ['optional', 'required'],
        'optional',
        '`required`: an admin sets up a second factor before anything else.',
      ),
      'required',
    ),
    /** By address and by account. */
    rateLimitLogin: rateLimit(
      'RATE_LIMIT_LOGIN',
      '10/1m',
      'Sign-ins, per address and per account, over all replicas; `off` is none.',
    ),
  },
  // One secret for two purposes is lost twice.
  ({ jwtSecret }, environment) =>
    isProduction(environment) && jwtSecret === environment['ENCRYPTION_KEY']?.trim()
      ? ['JWT_SECRET must be another secret than ENCRYPTION_KEY.']
      : [],
) {}
