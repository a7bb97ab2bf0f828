import { ApiProperty } from '@nestjs/swagger';
import { type FieldOptions, Text } from '../../platform/http/index.js';
import { MAX_PASSWORD_CHARACTERS } from '../users/password-hasher.js';

/** The longest code as users type it, with blanks. */
const MAX_CODE_CHARACTERS = 20;
/** Ours have 19, with hyphens. */
const MAX_RECOVERY_CODE_CHARACTERS = 40;
const RECOVERY_CODE_EXAMPLE = 'k3vq-7hzm-2aoj-x4td';

/** A code of the authenticator app. */
export function FactorCode(options: FieldOptions = {}): PropertyDecorator {
  return Text({ max: MAX_CODE_CHARACTERS, minLength: 1, example: '492039', ...options });
}

/** One of the codes that stand in for the app. */
export function RecoveryCode(options: FieldOptions): PropertyDecorator {
  return Text({
    max: MAX_RECOVERY_CODE_CHARACTERS,
    minLength: 1,
    example: RECOVERY_CODE_EXAMPLE,
    ...options,
  });
}

export class StartSecondFactorBody {
  @Text({ max: MAX_PASSWORD_CHARACTERS, example: 'correct horse battery', minLength: 1 })
  currentPassword!: string;
}

export class SecondFactorCodeBody {
  @FactorCode()
  code!: string;
}

export class RemoveSecondFactorBody {
  @FactorCode({ optional: true })
  code?: string;

  @RecoveryCode({ optional: true, description: 'Instead of `code`.' })
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
