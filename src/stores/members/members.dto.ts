import { MEMBER_ROLES, type MemberRole } from '../store-role.js';
import { ApiProperty } from '@nestjs/swagger';
import { Email, NEXT_CURSOR, OneOf } from '../../platform/http/index.js';
import type { NamedMember } from './members.service.js';

const ROLE_DESCRIPTION =
  '`viewer` reads; `reviewer` also decides reviews, matches, refunds, links and payments; `manager` also changes wallets, ' +
  'phone, webhook and settings, and sees secrets.';

export class AddMemberBody {
  @Email({ example: 'karim@example.com', description: 'Of somebody who has an account.' })
  email!: string;

  @OneOf(MEMBER_ROLES, { example: 'reviewer', description: ROLE_DESCRIPTION })
  role!: MemberRole;
}

export class ChangeMemberBody {
  @OneOf(MEMBER_ROLES, { example: 'viewer', description: ROLE_DESCRIPTION })
  role!: MemberRole;
}

export class MemberView {
  @ApiProperty({ format: 'uuid', example: '019aa5a0-1b2c-7d3e-8f40-5a6b7c8d9e0f' })
  userId!: string;

  @ApiProperty({ example: 'karim@example.com' })
  email!: string;

  @ApiProperty({ example: 'Karim Ahmed' })
  name!: string;

  @ApiProperty({ enum: [...MEMBER_ROLES, 'owner'], example: 'reviewer' })
  role!: MemberRole | 'owner';

  @ApiProperty({ format: 'date-time', example: '2026-11-21T08:15:00.000Z' })
  createdAt!: string;
}

export class MemberPage {
  @ApiProperty({ type: [MemberView] })
  data!: MemberView[];

  @ApiProperty({
    nullable: true,
    type: String,
    example: null,
    description: NEXT_CURSOR,
  })
  nextCursor!: string | null;
}

export function memberView(member: NamedMember): MemberView {
  return {
    userId: member.userId,
    email: member.email,
    name: member.name,
    role: member.role,
    createdAt: member.createdAt.toISOString(),
  };
}
