import { Injectable } from '@nestjs/common';
import { ScheduledJob } from '../platform/database/index.js';
import { Cron } from '@nestjs/schedule';
import { PaymentsSettings } from '../payments/index.js';
import { Clock } from '../kernel/clock.js';
import { PaymentLinksRepository } from './payment-links.repository.js';

/** A form that was sent leads to its payment for so long; nobody sends an older page again. */
const KEPT_MS = 30 * 24 * 3_600_000;
const BATCH_ROWS = 500;
/** A run that stops here is continued by the next one. */
const MAX_BATCHES = 2_000;

/**
 * Forgets forms of links that were sent a month ago, every hour, in small batches; several replicas at once do not
 * disturb each other. Never those by which open payments of an address are counted.
 */
@Injectable()
export class LinkFormsRetention extends ScheduledJob {
  constructor(
    private readonly links: PaymentLinksRepository,
    private readonly settings: PaymentsSettings,
    private readonly clock: Clock,
  ) {
    super();
  }

  @Cron('0 17 * * * *', { name: 'link-forms-retention' })
  override run(): Promise<void> {
    return super.run();
  }

  async round(): Promise<void> {
    const { paymentTtlMs, submissionGraceMs } = this.settings;
    const keptMs = Math.max(KEPT_MS, paymentTtlMs + submissionGraceMs);
    const before = new Date(this.clock.now().getTime() - keptMs);
    for (let batch = 0; batch < MAX_BATCHES && !this.isStopping; batch += 1)
      if ((await this.links.pruneForms(before, BATCH_ROWS)) < BATCH_ROWS) break;
  }
}
