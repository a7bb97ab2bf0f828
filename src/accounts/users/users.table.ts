import { bigText, bytes, flag, instant, integer, table, text, uuid } from '../../platform/database/index.js';
import type { Role } from './user.js';

/** Table `users`. */
export const USERS = table(
  'users',
  {
    id: uuid('id').key(),
    email: text('email'),
    name: text('name'),
    role: text<Role>('role'),
    active: flag('active').withDefault(true),
    /** Argon2id in PHC notation, which holds salt and parameters. */
    passwordHash: text('password_hash'),
    tokenVersion: integer('token_version').withDefault(1),
    /** Until the password is changed nothing else may be done (contract 14.11). */
    mustChangePassword: flag('must_change_password').withDefault(false),
    /** The secret of the second factor, sealed; null without one. */
    secondFactorSecret: bytes('second_factor_secret').orNull().later(),
    secondFactorConfirmedAt: instant('second_factor_confirmed_at').orNull().later(),
    /** The last time step whose code was used: a code is good once. */
    secondFactorStep: bigText('second_factor_step').orNull().later(),
    /** When an admin removed the second factor; null once the user has taken notice (contract 14.20). */
    secondFactorRemovedAt: instant('second_factor_removed_at').orNull().later(),
    createdAt: instant('created_at'),
    updatedAt: instant('updated_at'),
  },
  {
    unique: { users_email_key: ['email'] },
    checks: { users_email_lower: `email = lower(email)`, users_role: `role IN ('admin', 'merchant')` },
  },
);

/** Table `recovery_codes`: digests of the codes that stand in for the second factor, each once. */
export const RECOVERY_CODES = table(
  'recovery_codes',
  {
    userId: uuid('user_id').key(),
    digest: bytes('digest').key(),
    usedAt: instant('used_at').orNull(),
  },
  {
    foreignKeys: { recovery_codes_user_fkey: { on: ['userId'], to: 'users', columns: ['id'] } },
  },
);

/** Table `sign_in_addresses`: where somebody has signed in from, so that strangers cannot lock them out. */
export const SIGN_IN_ADDRESSES = table(
  'sign_in_addresses',
  {
    userId: uuid('user_id').key(),
    address: text('address').key(),
    at: instant('at'),
  },
  {
    foreignKeys: { sign_in_addresses_user_fkey: { on: ['userId'], to: 'users', columns: ['id'] } },
  },
);
