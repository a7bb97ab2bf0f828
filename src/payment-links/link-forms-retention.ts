import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Configuration } from '../platform/config/index.js';
import { Clock } from '../kernel/clock.js';
import { stackOf } from '../kernel/error-text.js';
import { SingleRun } from '../kernel/single-run.js';
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
export class LinkFormsRetention implements BeforeApplicationShutdown {
  private readonly logger = new Logger(LinkFormsRetention.name);
  private readonly pruning = new SingleRun(
    () => this.prune(),
    (error) => this.logger.error(stackOf(error)),
  );

  constructor(
    private readonly links: PaymentLinksRepository,
    private readonly configuration: Configuration,
    private readonly clock: Clock,
  ) {}

  /** Resolves when a whole run is over; joins the one that is under way. Errors are logged. */
  @Cron('0 17 * * * *', { name: 'link-forms-retention' })
  run(): Promise<void> {
    return this.pruning.run();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.pruning.stop();
  }

  private async prune(): Promise<void> {
    const { paymentTtlMs, submissionGraceMs } = this.configuration;
    const keptMs = Math.max(KEPT_MS, paymentTtlMs + submissionGraceMs);
    const before = new Date(this.clock.now().getTime() - keptMs);
    for (let batch = 0; batch < MAX_BATCHES && !this.pruning.isStopping; batch += 1)
      if ((await this.links.pruneForms(before, BATCH_ROWS)) < BATCH_ROWS) break;
  }
}
