export { AccountsModule } from './accounts.module.js';
export { AccountsService, type FirstAdmin } from './users/accounts.service.js';
export { LoginBody, PasswordBody } from './sign-in/auth.dto.js';
export { AccessTokens } from './sessions/access-tokens.js';
export { AuthService, type SignIn } from './sign-in/auth.service.js';
export { COMPANY_SIGN_IN_MS, SsoSignIn } from './sso/sso-sign-in.js';
export { SsoTokens } from './sso/sso-tokens.js';
export { type BrowserSession, DashboardSessions } from './sessions/dashboard-sessions.js';
export { CallerIfUser, CurrentCaller, CurrentUser, ForUsers, USERS_FORBIDDEN } from './sessions/for-users.js';
export { type Caller, User, type Restriction, type Role, type UserRecord } from './users/user.js';
export * from './accounts.problems.js';
export * as accountProblems from './accounts.problems.js';
export { SecondFactor } from './second-factor/second-factor.js';
export {
  listUnknownSecondFactorKeyIds,
  reencryptSecondFactors,
} from './second-factor/second-factor-secrets.js';
export {
  RemoveSecondFactorBody,
  SecondFactorCodeBody,
  StartSecondFactorBody,
} from './second-factor/second-factor.dto.js';
export type { SessionRecord } from './sessions/sessions.repository.js';
export { CreateUserBody, UpdateUserBody } from './users/users.dto.js';
export { UnknownEmails } from './users/unknown-emails.js';
export { OwnerActivity } from './users/owner-activity.js';
export { AccountsSettings } from './accounts.settings.js';
export { SsoSettings } from './sso/sso.settings.js';
