import { Body, Controller, Delete, Header, HttpCode, Ip, Post } from '@nestjs/common';
import {
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProblem,
  ApiTags,
} from '../../platform/http/index.js';
import { CurrentPerson, CurrentSessionId, Despite, ForPeople } from '../sessions/for-people.js';
import { Person } from '../users/person.js';
import { SecondFactor } from './second-factor.js';
import {
  RecoveryCodesView,
  RemoveSecondFactorBody,
  SecondFactorCodeBody,
  SecondFactorView,
} from './second-factor.dto.js';

/** One's own second factor (contract 14.21). */
@ApiTags('Accounts')
@Controller('api/v1/auth/second-factor')
@ForPeople()
@Despite('second_factor_setup')
export class SecondFactorController {
  constructor(private readonly secondFactor: SecondFactor) {}

  @Post()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Set up a second factor',
    description:
      'A secret for an authenticator app (TOTP, RFC 6238), and the address that a QR code holds. Not in force before it is confirmed.',
  })
  @ApiOkResponse({ type: SecondFactorView })
  @ApiProblem(409, 'auth.second_factor_exists')
  async start(
    @CurrentPerson() person: Person,
    @CurrentSessionId() sessionId: string,
    @Ip() address: string,
  ): Promise<SecondFactorView> {
    return this.secondFactor.start({ person, address }, sessionId);
  }

  @Post('confirm')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiProblem(
    ...[400, 401, 'auth.required', 'auth.invalid_second_factor'],
    ...[409, 'auth.second_factor_exists', 'auth.second_factor_not_started'],
    ...[429, 'auth.too_many_attempts'],
  )
  @ApiOperation({
    summary: 'Confirm the second factor with a code',
    description:
      'Signing in asks for a code from now on. The recovery codes are shown only now, each is good once.',
  })
  @ApiOkResponse({ type: RecoveryCodesView })
  async confirm(
    @CurrentPerson() person: Person,
    @CurrentSessionId() sessionId: string,
    @Ip() address: string,
    @Body() { code }: SecondFactorCodeBody,
  ): Promise<RecoveryCodesView> {
    return { recoveryCodes: await this.secondFactor.confirm({ person, address }, sessionId, code) };
  }

  @Delete()
  @HttpCode(204)
  @ApiProblem(
    ...[400, 401, 'auth.required', 'auth.invalid_second_factor'],
    ...[409, 'auth.second_factor_not_started', 429, 'auth.too_many_attempts'],
  )
  @ApiOperation({ summary: 'Remove the second factor', description: 'Takes a code, or a recovery code.' })
  @ApiNoContentResponse()
  async remove(
    @CurrentPerson() person: Person,
    @CurrentSessionId() sessionId: string,
    @Ip() address: string,
    @Body() body: RemoveSecondFactorBody,
  ): Promise<void> {
    await this.secondFactor.remove({ person, address }, sessionId, body);
  }
}
