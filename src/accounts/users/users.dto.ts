import { ApiProperty } from '@nestjs/swagger';
import { Flag, NEXT_CURSOR, OneOf } from '../../platform/http/index.js';
import { EmailToKeep, NewPassword, PersonName } from './account-fields.js';
import { type Role, ROLES, type UserRecord } from './user.js';

const ROLE_MESSAGE = `must be one of ${ROLES.join(', ')}`;

export class CreateUserBody {
  @EmailToKeep({ example: 'rahima@example.com', description: 'Trimmed and lower-cased.' })
  email!: string;

  @NewPassword({ example: 'seven green boats on the Padma' })
  password!: string;

  @PersonName({ example: 'Rahima Khatun' })
  name!: string;

  @OneOf(ROLES, { message: ROLE_MESSAGE, example: 'merchant' })
  role!: Role;

  @Flag({
    optional: true,
    default: false,
    description:
      'True for a first password that somebody else knows: nothing else may be done before it is changed.',
  })
  mustChangePassword?: boolean;
}

export class UpdateUserBody {
  @PersonName({ optional: true, example: 'Rahima Begum' })
  name?: string;

  @OneOf(ROLES, { optional: true, message: ROLE_MESSAGE, example: 'admin' })
  role?: Role;

  @Flag({ optional: true, example: false, description: 'False ends all sessions of this user at once.' })
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
