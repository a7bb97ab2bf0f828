import { ApiProperty } from '@nestjs/swagger';
import { Text } from '../../platform/http/index.js';
import { ACCESS_TOKEN_SECONDS } from '../sessions/access-token.js';
import { EmailToFind, NewPassword, PasswordToCheck } from '../users/account-fields.js';
import type { Tokens } from './auth.service.js';
import { FactorCode, RecoveryCode } from '../second-factor/second-factor.dto.js';

/** Ours have 43 characters. */
const MAX_REFRESH_TOKEN_CHARACTERS = 512;
const REFRESH_TOKEN_EXAMPLE = 'q3Jd0cT1oY5yWk7uVb2mXn9sLr4pZe8fHg6aQi1tUwE';

export class LoginBody {
  @EmailToFind({ example: 'admin@joma.local' })
  email!: string;

  @PasswordToCheck({ example: 'correct horse battery staple' })
  password!: string;

  @FactorCode({
    optional: true,
    description: 'Of the authenticator app, where the account has a second factor. Each is good once.',
  })
  code?: string;

  @RecoveryCode({
    optional: true,
    description: 'Instead of `code`. Each is good once.',
  })
  recoveryCode?: string;
}

export class RefreshTokenBody {
  @Text({ max: MAX_REFRESH_TOKEN_CHARACTERS, example: REFRESH_TOKEN_EXAMPLE, minLength: 1 })
  refreshToken!: string;
}

export class PasswordBody {
  @PasswordToCheck({ example: 'correct horse battery staple' })
  currentPassword!: string;

  @NewPassword({ example: 'seven green boats on the Padma' })
  newPassword!: string;
}

export class TokensView {
  @ApiProperty({
    example:
      'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIwMTlhYTViMCJ9.nqDUtv0bJSCfSgQxDQ5iwQ3m2z0Jm2oV1Vd0l1Yx9kE',
    description: 'For `Authorization: Bearer`.',
  })
  accessToken!: string;

  @ApiProperty({
    example: REFRESH_TOKEN_EXAMPLE,
    description:
      'Good for one `POST /api/v1/auth/refresh`; ends 30 days after the sign-in, or after 7 days without one.',
  })
  refreshToken!: string;

  @ApiProperty({ example: 'Bearer', enum: ['Bearer'] })
  tokenType!: 'Bearer';

  @ApiProperty({
    type: 'integer',
    example: ACCESS_TOKEN_SECONDS,
    description: 'Lifetime of the access token in seconds.',
  })
  expiresIn!: number;
}

export function tokensView({ accessToken, refreshToken, expiresInSeconds }: Tokens): TokensView {
  return { accessToken, refreshToken, tokenType: 'Bearer', expiresIn: expiresInSeconds };
}
