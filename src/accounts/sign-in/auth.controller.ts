import { Body, Controller, Get, Header, Headers, HttpCode, Ip, Post, UseGuards } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  AddressRateLimitGuard,
  ApiProblem,
  credentialRequired,
  KnownQueriesOnly,
  PublicRateLimitGuard,
  rateLimited,
} from '../../platform/http/index.js';
import { AccountsService } from '../users/accounts.service.js';
import { LoginBody, PasswordBody, RefreshTokenBody, TokensView, tokensView } from './auth.dto.js';
import { AuthService } from './auth.service.js';
import { CurrentUser, CurrentSessionId, Despite, ForUsers } from '../sessions/for-users.js';
import { User } from '../users/user.js';
import { UserView, userView } from '../users/users.dto.js';
import { requestInvalid, serviceUnavailable } from '../../kernel/domain-error.js';
import {
  invalidCredentials,
  invalidRefreshToken,
  invalidSecondFactor,
  secondFactorRequired,
  tooBusy,
  tooManySignIns,
} from '../accounts.problems.js';

/** Signing in and out (contract 2.10). */
@ApiTags('Accounts')
@Controller('api/v1/auth')
@KnownQueriesOnly()
export class AuthController {
  constructor(
    private readonly auth: AuthService,
    private readonly accounts: AccountsService,
  ) {}

  @Post('login')
  @HttpCode(200)
  @UseGuards(AddressRateLimitGuard)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Sign in',
    description:
      'A wrong e-mail address and a wrong password are answered alike: 401 `auth.invalid_credentials`. Where there is a second factor, a right password without `code` or `recoveryCode` is 401 `auth.second_factor_required`, and counts as a try. Too many wrong ones for one account or from one address: 429 `auth.too_many_attempts`.',
  })
  @ApiOkResponse({ type: TokensView })
  @ApiProblem(
    requestInvalid,
    invalidCredentials,
    secondFactorRequired,
    invalidSecondFactor,
    tooManySignIns,
    rateLimited,
    tooBusy,
    serviceUnavailable,
  )
  async login(
    @Ip() address: string,
    @Headers('user-agent') userAgent: string | undefined,
    @Body() body: LoginBody,
  ): Promise<TokensView> {
    return tokensView(await this.auth.signIn({ ...body, address, userAgent }));
  }

  @Post('refresh')
  @HttpCode(200)
  @UseGuards(PublicRateLimitGuard)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Get new tokens for a refresh token',
    description:
      'Each refresh token is good once. One that comes a second time is taken for stolen: 401 `auth.invalid_refresh_token`, and the sign-in it belongs to ends.',
  })
  @ApiOkResponse({ type: TokensView })
  @ApiProblem(requestInvalid, invalidRefreshToken, rateLimited)
  async refresh(@Ip() address: string, @Body() body: RefreshTokenBody): Promise<TokensView> {
    return tokensView(await this.auth.refresh(body.refreshToken, address));
  }

  @Post('logout')
  @HttpCode(204)
  @UseGuards(PublicRateLimitGuard)
  @ApiOperation({
    summary: 'Sign out',
    description:
      'Ends the sign-in of a refresh token, its access tokens included. 204 whether or not there was one.',
  })
  @ApiNoContentResponse()
  @ApiProblem(requestInvalid, rateLimited)
  async logout(@Ip() address: string, @Body() body: RefreshTokenBody): Promise<void> {
    await this.auth.signOut(body.refreshToken, address);
  }

  @Get('me')
  @ForUsers()
  @Despite('password_change', 'second_factor_setup')
  @ApiOperation({ summary: 'Who am I' })
  @ApiOkResponse({ type: UserView })
  async me(@CurrentUser() user: User): Promise<UserView> {
    return userView(await this.accounts.getUser(user.id));
  }

  @Post('password')
  @HttpCode(204)
  @ApiProblem(
    requestInvalid,
    credentialRequired,
    invalidCredentials,
    tooManySignIns,
    tooBusy,
    serviceUnavailable,
  )
  @ForUsers()
  @Despite('password_change', 'second_factor_setup')
  @ApiOperation({
    summary: 'Change the own password',
    description:
      'Every other sign-in ends, and no access token issued before is valid any more: get the next one with the refresh token of this sign-in. A wrong `currentPassword` is 401 `auth.invalid_credentials`, and is counted for this sign-in alone. The commonest passwords, and the own address or name, are refused.',
  })
  @ApiNoContentResponse()
  async changePassword(
    @CurrentUser() user: User,
    @CurrentSessionId() sessionId: string,
    @Ip() address: string,
    @Body() body: PasswordBody,
  ): Promise<void> {
    await this.auth.changePassword({ user, address }, sessionId, body.currentPassword, body.newPassword);
  }
}
