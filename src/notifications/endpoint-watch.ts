import { Injectable } from '@nestjs/common';
import { ScheduledJob } from '../platform/database/index.js';
import { Interval } from '@nestjs/schedule';
import { WebhookEndpoint } from '../stores/index.js';
import { DeliveriesRepository } from './deliveries.repository.js';

const INTERVAL_MS = 60_000;
/** An endpoint is paused when nothing has succeeded for so long … */
export const FAILING_MS = 5 * 24 * 3_600_000;
/** … over attempts at so many different events: a shop that sells once a week is not given up for one bad delivery. */
export const FAILING_EVENTS = 10;

/**
 * Pauses endpoints that have been failing for days, so that they cost nothing and their events wait, held, for
 * somebody to look (README of this folder). Nothing is lost by it, and a user or a new URL ends it.
 */
@Injectable()
export class EndpointWatch extends ScheduledJob {
  constructor(
    private readonly repository: DeliveriesRepository,
    private readonly endpoint: WebhookEndpoint,
  ) {
    super();
  }

  @Interval('endpoint-watch', INTERVAL_MS)
  override run(): Promise<void> {
    return super.run();
  }

  async round(): Promise<void> {
    for (const { storeId, webhookUrl } of await this.repository.listFailingEndpoints(
      FAILING_MS,
      FAILING_EVENTS,
    )) {
      await this.endpoint.pause(storeId, webhookUrl, 'failing');
    }
  }
}
