import {
  ApiProperty,
  ApiPropertyOptional,
  IsNotBlank,
  MaxCharacters,
  MayBeLeftOut,
} from '../../platform/http/index.js';
import { ACCESS_TOKEN_SECONDS } from '../sessions/access-token.js';
import {
  EmailToFind,
  MAX_EMAIL_CHARACTERS,
  NewPassword,
  PasswordToCheck,
} from '../users/accounts.validation.js';
import type { Tokens } from './auth.service.js';
import { MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS } from '../users/password-hasher.js';

import {
  CODE_EXAMPLE,
  MAX_CODE_CHARACTERS,
  MAX_RECOVERY_CODE_CHARACTERS,
  RECOVERY_CODE_EXAMPLE,
} from '../second-factor/second-factor.dto.js';

/** Ours have 43 characters. */
const MAX_REFRESH_TOKEN_CHARACTERS = 512;
const REFRESH_TOKEN_EXAMPLE = 'q3Jd0cT1oY5yWk7uVb2mXn9sLr4pZe8fHg6aQi1tUwE';

export class LoginBody {
  @ApiProperty({ example: 'admin@joma.local', maxLength: MAX_EMAIL_CHARACTERS })
  @EmailToFind()
  email!: string;

  @ApiProperty({
    example: 'correct horse battery staple',
    format: 'password',
    minLength: 1,
    maxLength: MAX_PASSWORD_CHARACTERS,
  })
  @PasswordToCheck()
  password!: string;

  @ApiPropertyOptional({
    example: CODE_EXAMPLE,
    minLength: 1,
    maxLength: MAX_CODE_CHARACTERS,
    description: 'Of the authenticator app, where the account has a second factor. Each is good once.',
  })
  @MayBeLeftOut()
  @IsNotBlank()
  @MaxCharacters(MAX_CODE_CHARACTERS)
  code?: string;

  @ApiPropertyOptional({
    example: RECOVERY_CODE_EXAMPLE,
    minLength: 1,
    maxLength: MAX_RECOVERY_CODE_CHARACTERS,
    description: 'Instead of `code`. Each is good once.',
  })
  @MayBeLeftOut()
  @IsNotBlank()
  @MaxCharacters(MAX_RECOVERY_CODE_CHARACTERS)
  recoveryCode?: string;
}

export class RefreshTokenBody {
  @ApiProperty({ example: REFRESH_TOKEN_EXAMPLE, minLength: 1, maxLength: MAX_REFRESH_TOKEN_CHARACTERS })
  @IsNotBlank()
  @MaxCharacters(MAX_REFRESH_TOKEN_CHARACTERS)
  refreshToken!: string;
}

export class PasswordBody {
  @ApiProperty({
    example: 'correct horse battery staple',
    format: 'password',
    minLength: 1,
    maxLength: MAX_PASSWORD_CHARACTERS,
  })
  @PasswordToCheck()
  currentPassword!: string;

  @ApiProperty({
    example: 'seven green boats on the Padma',
    format: 'password',
    minLength: MIN_PASSWORD_CHARACTERS,
    maxLength: MAX_PASSWORD_CHARACTERS,
  })
  @NewPassword()
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
