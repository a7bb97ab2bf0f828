import { ApiProperty } from '@nestjs/swagger';
import { Instant, OneOf } from '../../platform/http/index.js';
import {
  REPLAY_CHOICES,
  REPLAY_STATUSES,
  type ReplayChoice,
  type ReplayStatus,
} from './delivery-replays.table.js';
import type { ReplayRecord } from './replays.repository.js';

export class ReplayBody {
  @Instant({ example: '2026-11-20T00:00:00.000Z', description: 'Events from this instant on.' })
  since!: string;

  @Instant({
    optional: true,
    example: '2026-11-21T00:00:00.000Z',
    description: 'Events before this instant; default: now.',
  })
  until?: string;

  @OneOf(REPLAY_CHOICES, {
    optional: true,
    default: 'failed',
    description:
      '`failed`: what was given up; `all`: what was delivered, too. What still waits needs no replay.',
  })
  only?: ReplayChoice;
}

export class ReplayView {
  @ApiProperty({ format: 'uuid', example: '019aa5c2-11aa-7f39-8c1f-2b7d8f4e1a90' })
  id!: string;

  @ApiProperty({ enum: REPLAY_STATUSES, example: 'running' })
  status!: ReplayStatus;

  @ApiProperty({ enum: REPLAY_CHOICES, example: 'failed' })
  only!: ReplayChoice;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T00:00:00.000Z' })
  since!: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T00:00:00.000Z' })
  until!: string;

  @ApiProperty({
    example: 1200,
    type: 'integer',
    description: 'Deliveries in the range when it was asked for.',
  })
  total!: number;

  @ApiProperty({
    example: 500,
    type: 'integer',
    description: 'Deliveries put on their way so far; what becomes of each shows in the list of deliveries.',
  })
  done!: number;

  @ApiProperty({
    example: 0,
    type: 'integer',
    description:
      'Known at the end: sent otherwise before their turn came, or so old that their body is not kept.',
  })
  skipped!: number;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T08:20:09.123Z' })
  createdAt!: string;

  @ApiProperty({ format: 'date-time', nullable: true, type: String, example: null })
  finishedAt!: string | null;
}

export function replayView(replay: ReplayRecord): ReplayView {
  const { id, status, only, since, until, total, done } = replay;
  return {
    id,
    status,
    only,
    since: since.toISOString(),
    until: until.toISOString(),
    total,
    done,
    skipped: status === 'done' ? total - done : 0,
    createdAt: replay.createdAt.toISOString(),
    finishedAt: replay.finishedAt?.toISOString() ?? null,
  };
}
