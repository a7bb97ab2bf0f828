import { IsBoolean, IsIn } from 'class-validator';
import {
  ApiProperty,
  ApiPropertyOptional,
  IsNotBlank,
  MaxCharacters,
  MayBeLeftOut,
  NEXT_CURSOR,
} from '../../platform/http/index.js';
import {
  EmailToKeep,
  MAX_EMAIL_CHARACTERS,
  MAX_NAME_CHARACTERS,
  NewPassword,
  Trimmed,
} from './accounts.validation.js';
import { MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS } from './password-hasher.js';
import { type Role, ROLES, type UserRecord } from './user.js';

const ROLE_MESSAGE = { message: `must be one of ${ROLES.join(', ')}` };

export class CreateUserBody {
  @ApiProperty({
    example: 'rahima@example.com',
    maxLength: MAX_EMAIL_CHARACTERS,
    description: 'Trimmed and lower-cased.',
  })
  @EmailToKeep()
  email!: string;

  @ApiProperty({
    example: 'seven green boats on the Padma',
    format: 'password',
    minLength: MIN_PASSWORD_CHARACTERS,
    maxLength: MAX_PASSWORD_CHARACTERS,
  })
  @NewPassword()
  password!: string;

  @ApiProperty({ example: 'Rahima Khatun', minLength: 1, maxLength: MAX_NAME_CHARACTERS })
  @Trimmed()
  @IsNotBlank()
  @MaxCharacters(MAX_NAME_CHARACTERS)
  name!: string;

  @ApiProperty({ enum: ROLES, example: 'merchant' })
  @IsIn(ROLES, ROLE_MESSAGE)
  role!: Role;

  @ApiPropertyOptional({
    default: false,
    description:
      'True for a first password that somebody else knows: nothing else may be done before it is changed.',
  })
  @MayBeLeftOut()
  @IsBoolean()
  mustChangePassword?: boolean;
}

export class UpdateUserBody {
  @ApiPropertyOptional({ example: 'Rahima Begum', minLength: 1, maxLength: MAX_NAME_CHARACTERS })
  @MayBeLeftOut()
  @Trimmed()
  @IsNotBlank()
  @MaxCharacters(MAX_NAME_CHARACTERS)
  name?: string;

  @ApiPropertyOptional({ enum: ROLES, example: 'admin' })
  @MayBeLeftOut()
  @IsIn(ROLES, ROLE_MESSAGE)
  role?: Role;

  @ApiPropertyOptional({ example: false, description: 'False ends all sessions of this user at once.' })
  @MayBeLeftOut()
  @IsBoolean()
  active?: boolean;
}

export class UserView {
  @ApiProperty({ format: 'uuid', example: '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55' })
  id!: string;

  @ApiProperty({ example: 'rahima@example.com' })
  email!: string;

  @ApiProperty({ example: 'Rahima Khatun' })
  name!: string;

  @ApiProperty({ enum: ROLES, example: 'merchant' })
  role!: Role;

  @ApiProperty({ example: true })
  active!: boolean;

  @ApiProperty({ example: false, description: 'Whether the password must be changed before anything else.' })
  mustChangePassword!: boolean;

  @ApiProperty({ example: false, description: 'Whether signing in asks for a code.' })
  secondFactor!: boolean;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-21T08:20:09.123Z' })
  createdAt!: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-21T08:20:09.123Z' })
  updatedAt!: string;
}

export class UserPage {
  @ApiProperty({ type: [UserView] })
  data!: UserView[];

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: NEXT_CURSOR,
  })
  nextCursor!: string | null;
}

export function userView(user: UserRecord): UserView {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    role: user.role,
    active: user.active,
    mustChangePassword: user.mustChangePassword,
    secondFactor: user.hasSecondFactor,
    createdAt: user.createdAt.toISOString(),
    updatedAt: user.updatedAt.toISOString(),
  };
}
