import { Injectable } from '@nestjs/common';
import { type Caller } from '../../accounts/index.js';
import { AuditLog, THE_SERVICE } from '../../platform/audit/index.js';
import { Database, type Transaction } from '../../platform/database/index.js';
import { Clock } from '../../kernel/clock.js';
import { invalidInput } from '../../kernel/domain-error.js';
import type { Store, WebhookPauseReason } from '../store.js';
import { StoreChanges } from '../store-changes.js';
import { StoreStates } from '../store-states.js';
import { storeArchived, storeNotFound } from '../stores.problems.js';
import { StoresRepository } from '../stores.repository.js';
import { WebhookUrlPolicy } from './webhook-url-policy.js';

export const NOT_PAUSED = { webhookPausedAt: null, webhookPauseReason: null } as const;

/**
 * The address that a store's events go to: whether it may be one, and whether it is sent to (README of
 * `notifications`).
 */
@Injectable()
export class WebhookEndpoint {
  constructor(
    private readonly database: Database,
    private readonly repository: StoresRepository,
    private readonly states: StoreStates,
    private readonly auditLog: AuditLog,
    private readonly urlPolicy: WebhookUrlPolicy,
    private readonly changes: StoreChanges,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError `request.invalid` for an address that is not sent to */
  check(url: string | null | undefined): void {
    if (url === null || url === undefined) return;
    const verdict = this.urlPolicy.check(url);
    if (!verdict.allowed) throw invalidInput([{ pointer: '/webhookUrl', detail: verdict.reason }]);
  }

  /** Another address, and one that is sent to again, begins with a clean record. */
  async moved(tx: Transaction, storeId: string, url: string | null): Promise<void> {
    await this.states.markWebhook(tx, storeId, null);
    if (url !== null) tx.afterCommit(() => this.changes.announceReachable(storeId));
  }

  /**
   * Sends to the webhook URL again; what was held meanwhile goes out. Does nothing when it is not paused.
   *
   * @throws DomainError `store.not_found`, `store.archived`
   */
  async resume(caller: Caller, storeId: string): Promise<Store> {
    return this.database.transaction(async (tx) => {
      const store = await this.repository.find(tx, storeId, { lock: true });
      if (store === null) throw storeNotFound();
      if (store.archivedAt !== null) throw storeArchived();
      if (store.webhookPausedAt === null) return store;
      const resumed: Store = { ...store, ...NOT_PAUSED, updatedAt: this.clock.now() };
      await this.repository.update(tx, resumed);
      await this.auditLog.record(tx, caller, 'webhook.resumed', {
        storeId,
        details: { reason: store.webhookPauseReason },
      });
      await this.moved(tx, storeId, resumed.webhookUrl);
      return resumed;
    });
  }

  /**
   * Stops sending to a webhook URL until a user resumes it or names another one; events are held meanwhile. Answers
   * false when there was nothing to do: it is paused already, `webhookUrl` is not the one in force any more, or it
   * works again.
   */
  async pause(storeId: string, webhookUrl: string, reason: WebhookPauseReason): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      if (reason === 'failing') {
        const state = await this.states.find(tx, storeId);
        if (state === null || state.webhookFailingSince === null) return false;
      }
      const now = this.clock.now();
      if (!(await this.repository.pauseWebhook(tx, storeId, webhookUrl, reason, now))) return false;
      await this.auditLog.record(tx, THE_SERVICE, 'webhook.paused', { storeId, details: { reason } });
      return true;
    });
  }
}
