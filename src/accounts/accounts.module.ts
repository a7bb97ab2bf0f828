import { Global, Module } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/index.js';
import { AccessTokens } from './access-tokens.js';
import { AccountsService } from './accounts.service.js';
import { AccountsSweep } from './accounts-sweep.js';
import { AuditLogController } from './audit-log.controller.js';
import { AuthController } from './auth.controller.js';
import { AuthService } from './auth.service.js';
import { CompanyAccountEntity } from './company-account.entity.js';
import { CompanySignIn } from './company-sign-in.js';
import { CompanyTokens } from './company-tokens.js';
import { DashboardSessions } from './dashboard-sessions.js';
import { PasswordHasher } from './password-hasher.js';
import { RateLimitEntity } from './rate-limit.entity.js';
import { RefreshTokenEntity, SessionEntity } from './session.entity.js';
import { SecondFactorController } from './second-factor.controller.js';
import { SecondFactor } from './second-factor.js';
import { SecondFactorRepository } from './second-factor.repository.js';
import { SessionsController } from './sessions.controller.js';
import { SessionsRepository } from './sessions.repository.js';
import { SignInAddressesRepository } from './sign-in-addresses.repository.js';
import { SignInFailures } from './sign-in-failures.js';
import { SignInLimits } from './sign-in-limits.js';
import { RecoveryCodeEntity, SignInAddressEntity, UserEntity } from './user.entity.js';
import { UsersController } from './users.controller.js';
import { UsersRepository } from './users.repository.js';

/**
 * People, sign-in and `@ForPeople()`. Global, because Nest builds the guard of that decorator anew in every module whose
 * controllers use it, and these are nearly all. Needs `ScheduleModule.forRoot()` for its sweep.
 */
@Global()
@Module({
  imports: [
    TypeOrmModule.forFeature([
      UserEntity,
      RecoveryCodeEntity,
      SignInAddressEntity,
      CompanyAccountEntity,
      SessionEntity,
      RefreshTokenEntity,
      RateLimitEntity,
    ]),
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
    AccessTokens,
    AccountsService,
    AccountsSweep,
    AuthService,
    CompanySignIn,
    CompanyTokens,
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
    ...[AccountsService, AccessTokens, AuthService, CompanySignIn],
    ...[CompanyTokens, DashboardSessions, SecondFactor],
  ],
})
export class AccountsModule {}
