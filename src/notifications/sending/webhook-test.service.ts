import { Injectable } from '@nestjs/common';
import { Configuration } from '../../config/index.js';
import type { WebhookSchema } from '../../events/index.js';
import { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { DeliveryTargets } from '../../stores/index.js';
import { webhookTestBusy, webhookUrlMissing } from '../deliveries.errors.js';
import { webhookRequest } from './webhook-request.js';
import { type WebhookOutcome, WebhookSender } from './webhook-sender.js';

/** Tests that one process runs at the same time, and that one store may run. */
export const MAX_RUNNING_TESTS = 16;
const MAX_RUNNING_TESTS_OF_STORE = 2;

/** Sends a signed `webhook.test` event at a person's word (decisions §7). It is no event of the store: never kept, never retried. */
@Injectable()
export class WebhookTestService {
  private readonly running = new Map<string, number>();
  private runningCount = 0;

  constructor(
    private readonly configuration: Configuration,
    private readonly clock: Clock,
    private readonly targets: DeliveryTargets,
    private readonly sender: WebhookSender,
  ) {}

  /**
   * One attempt, under the same rules as a real delivery. A receiver that fails is an outcome, not an error.
   *
   * @throws DomainError `webhook.url_missing`, or `webhook.test_busy` when too many tests run already
   */
  async send(storeId: string): Promise<WebhookOutcome> {
    const target = await this.targets.find(storeId);
    if (target === null || target.webhookUrl === null) throw webhookUrlMissing();
    const { webhookUrl } = target;
    const sentAt = this.clock.now();
    const body = Buffer.from(
      JSON.stringify({ event: 'webhook.test', storeId, sentAt: sentAt.toISOString() }),
    );
    const message = { id: newId(), body, sentAt };
    return this.oneOfFew(storeId, () =>
      this.sender.send(
        webhookRequest(message, { ...target, webhookUrl }, this.configuration.webhookTimeoutMs),
      ),
    );
  }

  private async oneOfFew<Result>(storeId: string, work: () => Promise<Result>): Promise<Result> {
    const runningOfStore = this.running.get(storeId) ?? 0;
    if (runningOfStore >= MAX_RUNNING_TESTS_OF_STORE || this.runningCount >= MAX_RUNNING_TESTS)
      throw webhookTestBusy();
    this.running.set(storeId, runningOfStore + 1);
    this.runningCount += 1;
    try {
      return await work();
    } finally {
      this.runningCount -= 1;
      const left = (this.running.get(storeId) ?? 1) - 1;
      if (left === 0) this.running.delete(storeId);
      else this.running.set(storeId, left);
    }
  }
}

export const WEBHOOK_TEST_WEBHOOK: WebhookSchema = {
  event: 'webhook.test',
  operationId: 'webhookTest',
  summary: 'A person tries the webhook URL',
  description: 'Sent once, by `POST /api/v1/stores/{storeId}/webhook/test`.',
  schemaName: 'WebhookTestEvent',
  schema: {
    type: 'object',
    properties: {
      event: { type: 'string', enum: ['webhook.test'] },
      storeId: { type: 'string', format: 'uuid', example: '019aa5a1-02f6-7b1d-8a59-6f1f2f6d5a10' },
      sentAt: { type: 'string', format: 'date-time', example: '2026-11-21T08:20:09.123Z' },
    },
    required: ['event', 'storeId', 'sentAt'],
  },
};
