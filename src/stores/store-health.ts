import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/index.js';
import { Clock } from '../kernel/clock.js';
import type { WebhookPauseReason } from './store.js';
import { StoresSettings } from './stores.settings.js';

/** A store with a phone from which nothing was heard for `PHONE_SILENT_AFTER` while payments waited (contract 9.20). */
export interface SilentPhone {
  readonly storeId: string;
  readonly name: string;
  readonly waitingSince: Date;
  readonly lastSeenAt: Date | null;
}

/** A store whose webhook address has answered with nothing but failures since then, or is paused since then. */
export interface TroubledEndpoint {
  readonly storeId: string;
  readonly name: string;
  readonly since: Date;
  /** Null while it is still sent to. */
  readonly pausedFor: WebhookPauseReason | null;
}

interface EndpointRow {
  readonly id: string;
  readonly name: string;
  readonly since: Date;
  readonly reason: WebhookPauseReason | null;
}

/**
 * For who watches over all stores: where money or news of it is held up. Archived stores are nobody's concern any
 * more.
 */
@Injectable()
export class StoreHealth {
  constructor(
    private readonly database: Database,
    private readonly settings: StoresSettings,
    private readonly clock: Clock,
  ) {}

  /** Those that have waited longest first. */
  async listSilentPhones(limit: number): Promise<SilentPhone[]> {
    const before = new Date(this.clock.now().getTime() - this.settings.phoneSilentAfterMs);
    const rows = await this.database.query<{
      id: string;
      name: string;
      waiting_since: Date;
      phone_last_seen_at: Date | null;
    }>(
      `SELECT s.id, s.name, t.waiting_since, t.phone_last_seen_at
       FROM store_states t JOIN stores s ON s.id = t.store_id
       WHERE t.waiting_since < $1 AND (t.phone_last_seen_at IS NULL OR t.phone_last_seen_at < $1)
         AND s.archived_at IS NULL
       ORDER BY t.waiting_since LIMIT $2`,
      [before, limit],
    );
    return rows.map((row) => ({
      storeId: row.id,
      name: row.name,
      waitingSince: row.waiting_since,
      lastSeenAt: row.phone_last_seen_at,
    }));
  }

  /** Those that are still sent to, and have failed longest first. */
  async listFailingEndpoints(limit: number): Promise<TroubledEndpoint[]> {
    const rows = await this.database.query<EndpointRow>(
      `SELECT s.id, s.name, t.webhook_failing_since AS since, NULL AS reason
       FROM store_states t JOIN stores s ON s.id = t.store_id
       WHERE t.webhook_failing_since IS NOT NULL AND s.webhook_url IS NOT NULL AND s.webhook_paused_at IS NULL
         AND s.archived_at IS NULL
       ORDER BY t.webhook_failing_since LIMIT $1`,
      [limit],
    );
    return rows.map(endpointOf);
  }

  /** Those that were paused last first. */
  async listPausedEndpoints(limit: number): Promise<TroubledEndpoint[]> {
    const rows = await this.database.query<EndpointRow>(
      `SELECT id, name, webhook_paused_at AS since, webhook_pause_reason AS reason FROM stores
       WHERE webhook_paused_at IS NOT NULL AND archived_at IS NULL
       ORDER BY webhook_paused_at DESC LIMIT $1`,
      [limit],
    );
    return rows.map(endpointOf);
  }

  async namesOf(storeIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await this.database.query<{ id: string; name: string }>(
      'SELECT id, name FROM stores WHERE id = ANY ($1::uuid[])',
      [storeIds],
    );
    return new Map(rows.map(({ id, name }) => [id, name]));
  }
}

function endpointOf({ id, name, since, reason }: EndpointRow): TroubledEndpoint {
  return { storeId: id, name, since, pausedFor: reason };
}
