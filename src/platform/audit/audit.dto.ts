import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { NEXT_CURSOR } from '../http/index.js';
import { ACTOR_TYPES, type ActorType } from './audit-entry.js';

export class AuditActorView {
  @ApiProperty({ enum: ACTOR_TYPES, example: 'user' })
  type!: ActorType;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    example: '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55',
    description: 'Null when the service itself acted.',
  })
  id!: string | null;

  @ApiPropertyOptional({ example: 'rahima@example.com', description: 'As it was at that time; users only.' })
  email?: string;
}

/** One line of the audit log (contract 2.38). */
export class AuditEntryView {
  @ApiProperty({ format: 'uuid', example: '019aa5b1-03d2-7a41-b0a3-6c1f4c0d9a10' })
  id!: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-21T08:20:09.123Z' })
  at!: string;

  @ApiProperty({ type: AuditActorView })
  actor!: AuditActorView;

  @ApiProperty({ example: 'store.updated' })
  action!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: '203.0.113.7',
    description: 'The network address the request came from.',
  })
  address!: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { before: { currency: 'BDT' }, after: { currency: 'USD' } },
    description: 'What changed; its form depends on the action. Never holds a secret.',
  })
  details!: Record<string, unknown>;
}

export class AuditEntryPage {
  @ApiProperty({ type: [AuditEntryView] })
  data!: AuditEntryView[];

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: NEXT_CURSOR,
  })
  nextCursor!: string | null;
}
