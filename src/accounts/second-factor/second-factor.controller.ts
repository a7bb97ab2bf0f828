import { Body, Controller, Delete, Header, HttpCode, Ip, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblem, credentialRequired, KnownQueriesOnly } from '../../platform/http/index.js';
import { CurrentUser, CurrentSessionId, Despite, ForUsers } from '../sessions/for-users.js';
import { User } from '../users/user.js';
import { SecondFactor } from './second-factor.js';
import {
  RecoveryCodesView,
  RemoveSecondFactorBody,
  SecondFactorCodeBody,
  SecondFactorView,
  StartSecondFactorBody,
} from './second-factor.dto.js';
import { requestInvalid, serviceUnavailable } from '../../kernel/domain-error.js';
import {
  invalidCredentials,
  invalidSecondFactor,
  secondFactorExists,
  secondFactorNotStarted,
  tooBusy,
  tooManySignIns,
} from '../accounts.problems.js';

/** One's own second factor (contract 14.21). */
@ApiTags('Accounts')
@Controller('api/v1/auth/second-factor')
@KnownQueriesOnly()
@ForUsers()
@Despite('second_factor_setup')
export class SecondFactorController {
  constructor(private readonly secondFactor: SecondFactor) {}

  @Post()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Set up a second factor',
    description:
      'Takes the current password. Answers a secret for an authenticator app (TOTP, RFC 6238), and the address that a QR code holds. Not in force before it is confirmed.',
  })
  @ApiOkResponse({ type: SecondFactorView })
  @ApiProblem(
    requestInvalid,
    credentialRequired,
    invalidCredentials,
    secondFactorExists,
    tooManySignIns,
    tooBusy,
    serviceUnavailable,
  )
  async start(
    @CurrentUser() user: User,
    @CurrentSessionId() sessionId: string,
    @Ip() address: string,
    @Body() { currentPassword }: StartSecondFactorBody,
  ): Promise<SecondFactorView> {
    return this.secondFactor.start({ user, address }, sessionId, currentPassword);
  }

  @Post('confirm')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiProblem(
    requestInvalid,
    credentialRequired,
    invalidSecondFactor,
    secondFactorExists,
    secondFactorNotStarted,
    tooManySignIns,
  )
  @ApiOperation({
    summary: 'Confirm the second factor with a code',
    description:
      'Signing in asks for a code from now on, and the other sessions end. The recovery codes are shown only now, each is good once.',
  })
  @ApiOkResponse({ type: RecoveryCodesView })
  async confirm(
    @CurrentUser() user: User,
    @CurrentSessionId() sessionId: string,
    @Ip() address: string,
    @Body() { code }: SecondFactorCodeBody,
  ): Promise<RecoveryCodesView> {
    return { recoveryCodes: await this.secondFactor.confirm({ user, address }, sessionId, code) };
  }

  @Delete()
  @HttpCode(204)
  @ApiProblem(requestInvalid, credentialRequired, invalidSecondFactor, secondFactorNotStarted, tooManySignIns)
  @ApiOperation({ summary: 'Remove the second factor', description: 'Takes a code, or a recovery code.' })
  @ApiNoContentResponse()
  async remove(
    @CurrentUser() user: User,
    @CurrentSessionId() sessionId: string,
    @Ip() address: string,
    @Body() body: RemoveSecondFactorBody,
  ): Promise<void> {
    await this.secondFactor.remove({ user, address }, sessionId, body);
  }
}
