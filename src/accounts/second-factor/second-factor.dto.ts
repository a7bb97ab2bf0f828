import {
  ApiProperty,
  ApiPropertyOptional,
  IsNotBlank,
  MaxCharacters,
  MayBeLeftOut,
} from '../../platform/http/index.js';
import { MAX_PASSWORD_CHARACTERS } from '../users/password-hasher.js';

/** The longest code as users type it, with blanks. */
export const MAX_CODE_CHARACTERS = 20;
/** Ours have 19, with hyphens. */
export const MAX_RECOVERY_CODE_CHARACTERS = 40;
export const CODE_EXAMPLE = '492039';
export const RECOVERY_CODE_EXAMPLE = 'k3vq-7hzm-2aoj-x4td';

export class StartSecondFactorBody {
  @ApiProperty({ example: 'correct horse battery', minLength: 1, maxLength: MAX_PASSWORD_CHARACTERS })
  @IsNotBlank()
  @MaxCharacters(MAX_PASSWORD_CHARACTERS)
  currentPassword!: string;
}

export class SecondFactorCodeBody {
  @ApiProperty({ example: CODE_EXAMPLE, minLength: 1, maxLength: MAX_CODE_CHARACTERS })
  @IsNotBlank()
  @MaxCharacters(MAX_CODE_CHARACTERS)
  code!: string;
}

export class RemoveSecondFactorBody {
  @ApiPropertyOptional({ example: CODE_EXAMPLE, minLength: 1, maxLength: MAX_CODE_CHARACTERS })
  @MayBeLeftOut()
  @IsNotBlank()
  @MaxCharacters(MAX_CODE_CHARACTERS)
  code?: string;

  @ApiPropertyOptional({
    example: RECOVERY_CODE_EXAMPLE,
    minLength: 1,
    maxLength: MAX_RECOVERY_CODE_CHARACTERS,
    description: 'Instead of `code`.',
  })
  @MayBeLeftOut()
  @IsNotBlank()
  @MaxCharacters(MAX_RECOVERY_CODE_CHARACTERS)
  recoveryCode?: string;
}

export class SecondFactorView {
  @ApiProperty({ example: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', description: 'In base32, for typing.' })
  secret!: string;

  @ApiProperty({
    example:
      'otpauth://totp/Joma%3Arahima%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Joma&algorithm=SHA1&digits=6&period=30',
    description: 'For a QR code.',
  })
  uri!: string;
}

export class RecoveryCodesView {
  @ApiProperty({
    type: [String],
    example: [...'abcdefghij'].map((letter) => RECOVERY_CODE_EXAMPLE.replace(/.$/, letter)),
    minItems: 10,
    maxItems: 10,
  })
  recoveryCodes!: string[];
}
