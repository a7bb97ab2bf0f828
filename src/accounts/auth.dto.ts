import { ApiProperty } from '@nestjs/swagger';
import { IsNotBlank, MaxCharacters } from '../http/index.js';
import { ACCESS_TOKEN_SECONDS } from './access-token.js';
import { EmailToFind, MAX_EMAIL_CHARACTERS, NewPassword, PasswordToCheck } from './accounts.validation.js';
import type { Tokens } from './auth.service.js';
import { MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS } from './password-hasher.js';

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
    description: 'Good for one `POST /api/v1/auth/refresh`; ends 30 days after the sign-in.',
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
