import { Injectable } from '@nestjs/common';
import { ScheduledJob } from '../platform/database/index.js';
import { Cron } from '@nestjs/schedule';
import { NotificationsSettings } from './notifications.settings.js';
import { Clock } from '../kernel/clock.js';
import { type EventPlace, RetentionRepository } from './retention.repository.js';

const BATCH_ROWS = 500;
/** A run that stops here is continued by the next one. */
const MAX_BATCHES = 2_000;

/**
 * Forgets what nobody needs any more (`RETENTION_ATTEMPTS`, `RETENTION_BODIES`): attempts after 30 days, bodies of
 * events that were delivered 90 days ago. Every hour, in small batches; several replicas at once do not wait for each
 * other. Nothing depends on it but disk space, and how long personal data is kept.
 */
@Injectable()
export class Retention extends ScheduledJob {
  constructor(
    private readonly repository: RetentionRepository,
    private readonly settings: NotificationsSettings,
    private readonly clock: Clock,
  ) {
    super();
  }

  @Cron('0 41 * * * *', { name: 'delivery-retention' })
  override run(): Promise<void> {
    return super.run();
  }

  async round(): Promise<void> {
    const { retentionAttemptsMs, retentionBodiesMs } = this.settings;
    if (retentionAttemptsMs !== null) {
      const before = this.ago(retentionAttemptsMs);
      await this.walk<string>((cursor) => this.repository.pruneAttempts(before, cursor, BATCH_ROWS));
    }
    if (retentionBodiesMs !== null) {
      const before = this.ago(retentionBodiesMs);
      await this.walk<EventPlace>((cursor) => this.repository.pruneBodies(before, cursor, BATCH_ROWS));
    }
  }

  /** A step answers where the next one goes on; null at the end. */
  private async walk<Cursor>(step: (cursor: Cursor | null) => Promise<Cursor | null>): Promise<void> {
    let cursor: Cursor | null = null;
    for (let batch = 0; batch < MAX_BATCHES && !this.isStopping; batch += 1) {
      cursor = await step(cursor);
      if (cursor === null) return;
    }
  }

  private ago(durationMs: number): Date {
    return new Date(this.clock.now().getTime() - durationMs);
  }
}
