import { instant, table, text, uuid } from '../../platform/database/index.js';

/** Table `sso_accounts`: which account belongs to which subject of the company's identity provider. */
export const SSO_ACCOUNTS = table(
  'sso_accounts',
  {
    issuer: text('issuer').key(),
    subject: text('subject').key(),
    userId: uuid('user_id'),
    /** When the token was issued whose name and role the account has. */
    toldAt: instant('told_at'),
  },
  {
    foreignKeys: { sso_accounts_user_fkey: { on: ['userId'], to: 'users', columns: ['id'] } },
    unique: { sso_accounts_user_key: ['userId'] },
  },
);
