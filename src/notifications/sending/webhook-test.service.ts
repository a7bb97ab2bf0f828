import { Injectable } from '@nestjs/common';
import type { WebhookSchema } from '../../platform/events/index.js';
import { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { DeliveryTargets, type Store } from '../../stores/index.js';
import { webhookTestBusy, webhookUrlMissing } from '../deliveries.problems.js';
import { webhookRequest } from './webhook-request.js';
import { type WebhookOutcome, WebhookSender } from './webhook-sender.js';
import { NotificationsSettings } from '../notifications.settings.js';

/** Tests that one process runs at the same time, those of one owner's stores, and those of one store. */
export const MAX_RUNNING_TESTS = 16;
const MAX_RUNNING_TESTS_OF_OWNER = 4;
const MAX_RUNNING_TESTS_OF_STORE = 2;

/**
 * Sends a signed `webhook.test` event at a user's word (contract 7.50). It is no event of the store: never kept,
 * never retried.
 */
@Injectable()
export class WebhookTestService {
  /** By the id of the store, and by that of its owner. */
  private readonly running = new Map<string, number>();
  private runningCount = 0;

  constructor(
    private readonly settings: NotificationsSettings,
    private readonly clock: Clock,
    private readonly targets: DeliveryTargets,
    private readonly sender: WebhookSender,
  ) {}

  /**
   * One attempt, under the same rules as a real delivery. A receiver that fails is an outcome, not an error.
   *
   * @throws DomainError `webhook.url_missing`, or `webhook.test_busy` when too many tests run already
   */
  async send({ id: storeId, ownerId }: Pick<Store, 'id' | 'ownerId'>): Promise<WebhookOutcome> {
    const target = await this.targets.find(storeId);
    if (target === null || target.webhookUrl === null) throw webhookUrlMissing();
    const { webhookUrl } = target;
    const sentAt = this.clock.now();
    const body = Buffer.from(
      JSON.stringify({ event: 'webhook.test', storeId, sentAt: sentAt.toISOString() }),
    );
    const message = { id: newId(), body, sentAt };
    const places = new Map([
      [storeId, MAX_RUNNING_TESTS_OF_STORE],
      [ownerId, MAX_RUNNING_TESTS_OF_OWNER],
    ]);
    return this.oneOfFew(places, () =>
      this.sender.send(webhookRequest(message, { ...target, webhookUrl }, this.settings.webhookTimeoutMs)),
    );
  }

  /** `places`: how many each of these ids may have. */
  private async oneOfFew<Result>(
    places: ReadonlyMap<string, number>,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const isFull = [...places].some(([id, max]) => (this.running.get(id) ?? 0) >= max);
    if (isFull || this.runningCount >= MAX_RUNNING_TESTS) throw webhookTestBusy();
    this.runningCount += 1;
    for (const id of places.keys()) this.running.set(id, (this.running.get(id) ?? 0) + 1);
    try {
      return await work();
    } finally {
      this.runningCount -= 1;
      for (const id of places.keys()) {
        const left = (this.running.get(id) ?? 1) - 1;
        if (left === 0) this.running.delete(id);
        else this.running.set(id, left);
      }
    }
  }
}

export const WEBHOOK_TEST_WEBHOOK: WebhookSchema = {
  event: 'webhook.test',
  operationId: 'webhookTest',
  summary: 'A user tests the webhook URL',
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
