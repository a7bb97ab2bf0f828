import { Logger, type OnModuleDestroy } from '@nestjs/common';
import { messageOf } from '../../kernel/error-text.js';
import { SingleRun } from '../../kernel/single-run.js';

/**
 * Work that is done again and again, one round at a time in a process. The class that extends this says how often, with
 * `@Interval` or `@Cron` on its `run`. Errors are logged: what a round has left, the next one finds. Jobs stop first
 * when the process does, before anything that they may set going.
 */
export abstract class ScheduledJob implements OnModuleDestroy {
  protected readonly logger = new Logger(this.constructor.name);
  private readonly rounds = new SingleRun(
    () => this.round(),
    (error) => this.logger.warn(`A round ended early: ${messageOf(error)}`),
  );

  /** One round. One of many steps looks at `isStopping` before each of them. */
  abstract round(): Promise<void>;

  /** The process stops. */
  protected get isStopping(): boolean {
    return this.rounds.isStopping;
  }

  /** Resolves at the end of a whole round; joins the one that is under way. Never rejects. */
  run(): Promise<void> {
    return this.rounds.run();
  }

  onModuleDestroy(): Promise<void> {
    return this.rounds.stop();
  }
}
