import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Database, ScheduledJob } from '../platform/database/index.js';
import { Clock } from '../kernel/clock.js';
import { KNOWN_ADDRESS_MS } from './sign-in/auth.service.js';
import { SessionsRepository } from './sessions/sessions.repository.js';
import { SignInAddressesRepository } from './sign-in/sign-in-addresses.repository.js';

const BATCH_ROWS = 500;
/** A run that stops here is continued by the next one. */
const MAX_BATCHES_PER_TABLE = 200;
/** Points that are given back late must find their row, or none; longer than any clock is off. */
const RATE_LIMIT_GRACE_MS = 60 * 60 * 1_000;

/**
 * Deletes what nobody can use any more: sessions and refresh tokens past their end, and attempts whose window is
 * over. Every hour, in small batches; several replicas at once do not wait for each other. Nothing depends on it but
 * disk space.
 */
@Injectable()
export class AccountsSweep extends ScheduledJob {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly sessions: SessionsRepository,
    private readonly addresses: SignInAddressesRepository,
  ) {
    super();
  }

  @Cron('0 23 * * * *', { name: 'accounts-sweep' })
  override run(): Promise<void> {
    return super.run();
  }

  async round(): Promise<void> {
    const now = this.clock.now();
    await this.inBatches(() => this.sessions.deleteExpiredRefreshTokens(now, BATCH_ROWS));
    await this.inBatches(() => this.sessions.deleteExpiredSessions(now, BATCH_ROWS));
    await this.inBatches(() => this.deleteStaleRateLimits(now));
    const before = new Date(now.getTime() - KNOWN_ADDRESS_MS);
    await this.inBatches(() => this.addresses.deleteBefore(before, BATCH_ROWS));
  }

  private async inBatches(deleteSome: () => Promise<number>): Promise<void> {
    for (let batch = 0; batch < MAX_BATCHES_PER_TABLE && !this.isStopping; batch += 1) {
      if ((await deleteSome()) < BATCH_ROWS) return;
    }
  }

  private async deleteStaleRateLimits(now: Date): Promise<number> {
    return this.database.execute(
      `DELETE FROM rate_limits WHERE key IN (
         SELECT key FROM rate_limits WHERE expire < $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [now.getTime() - RATE_LIMIT_GRACE_MS, BATCH_ROWS],
    );
  }
}
