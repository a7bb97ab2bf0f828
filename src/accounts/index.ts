export { AccountsModule } from './accounts.module.js';
export { AccountsService, type FirstAdmin } from './users/accounts.service.js';
export { LoginBody, PasswordBody } from './sign-in/auth.dto.js';
export { AccessTokens } from './sessions/access-tokens.js';
export { AuthService, type SignIn } from './sign-in/auth.service.js';
export { COMPANY_SIGN_IN_MS, CompanySignIn } from './sso/company-sign-in.js';
export { CompanyTokens } from './sso/company-tokens.js';
export { type BrowserSession, DashboardSessions } from './sessions/dashboard-sessions.js';
export { CurrentPerson, ForPeople, PEOPLE_FORBIDDEN } from './sessions/for-people.js';
export { actorOf, type Caller, Person, type Restriction, type Role, type User } from './users/person.js';
export { ACCOUNTS_CODES } from './accounts.errors.js';
export { SecondFactor } from './second-factor/second-factor.js';
export {
  listUnknownSecondFactorKeyIds,
  reencryptSecondFactors,
} from './second-factor/second-factor-secrets.js';
export { RemoveSecondFactorBody, SecondFactorCodeBody } from './second-factor/second-factor.dto.js';
export type { SessionRecord } from './sessions/sessions.repository.js';
export { CreateUserBody, UpdateUserBody } from './users/users.dto.js';
