import { Global, Module } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { AuditModule } from '../platform/audit/index.js';
import { forTables } from '../platform/database/index.js';
import { AccessTokens } from './sessions/access-tokens.js';
import { AccountsService } from './users/accounts.service.js';
import { AccountsSweep } from './accounts-sweep.js';
import { AuditLogController } from './audit-log.controller.js';
import { AuthController } from './sign-in/auth.controller.js';
import { AuthService } from './sign-in/auth.service.js';
import { SSO_ACCOUNTS } from './sso/sso-accounts.table.js';
import { IdentityProvider } from './sso/identity-provider.js';
import { SsoSignIn } from './sso/sso-sign-in.js';
import { SsoTokens } from './sso/sso-tokens.js';
import { SsoUsers } from './sso/sso-users.js';
import { DashboardSessions } from './sessions/dashboard-sessions.js';
import { PasswordHasher } from './users/password-hasher.js';
import { RATE_LIMITS } from './sign-in/rate-limits.table.js';
import { REFRESH_TOKENS, SESSIONS } from './sessions/sessions.table.js';
import { SecondFactorController } from './second-factor/second-factor.controller.js';
import { SecondFactor } from './second-factor/second-factor.js';
import { SecondFactorRepository } from './second-factor/second-factor.repository.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { SessionsRepository } from './sessions/sessions.repository.js';
import { SignInAddressesRepository } from './sign-in/sign-in-addresses.repository.js';
import { SignInFailures } from './sign-in/sign-in-failures.js';
import { SignInLimits } from './sign-in/sign-in-limits.js';
import { RECOVERY_CODES, SIGN_IN_ADDRESSES, USERS } from './users/users.table.js';
import { UsersController } from './users/users.controller.js';
import { UnknownEmails } from './users/unknown-emails.js';
import { UsersRepository } from './users/users.repository.js';

/**
 * Users, sign-in and `@ForUsers()`. Global, because Nest builds the guard of that decorator anew in every module whose
 * controllers use it, and these are nearly all. Needs `ScheduleModule.forRoot()` for its sweep.
 */
@Global()
@Module({
  imports: [
    forTables(
      ...[USERS, RECOVERY_CODES, SIGN_IN_ADDRESSES, SSO_ACCOUNTS],
      ...[SESSIONS, REFRESH_TOKENS, RATE_LIMITS],
    ),
    JwtModule.register({}),
    AuditModule,
  ],
  controllers: [
    AuthController,
    SecondFactorController,
    SessionsController,
    UsersController,
    AuditLogController,
  ],
  providers: [
    UnknownEmails,
    AccessTokens,
    AccountsService,
    AccountsSweep,
    AuthService,
    IdentityProvider,
    SsoSignIn,
    SsoTokens,
    SsoUsers,
    DashboardSessions,
    PasswordHasher,
    SecondFactor,
    SecondFactorRepository,
    SessionsRepository,
    SignInAddressesRepository,
    SignInFailures,
    SignInLimits,
    UsersRepository,
  ],
  exports: [
    UnknownEmails,
    ...[AccountsService, AccessTokens, AuthService, SsoSignIn],
    ...[SsoTokens, DashboardSessions, SecondFactor],
  ],
})
export class AccountsModule {}
