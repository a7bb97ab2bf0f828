import { Logger } from '@nestjs/common';
import { Pool, type PoolConfig } from 'pg';
import { DomainError } from '../../../kernel/domain-error.js';
import { messageOf } from '../../../kernel/error-text.js';
import { findWriter, hostOf } from './database-hosts.js';

/** How long one search goes on; the next failure begins another. */
const SEARCH_MS = 5_000;
const SEARCH_INTERVAL_MS = 200;
/** SQLSTATE of a write on a server that only copies another. */
const READ_ONLY = '25006';

/** Where TypeORM's driver keeps the pool that all statements use. */
export interface PoolOwner {
  master: Pool;
}

/**
 * Keeps the pool on the server that accepts writes, where `DATABASE_URL` names several (contract 8.14). After a lost
 * connection it looks for that server again; requests wait for a search that is under way, and are answered 503 when
 * it finds nothing. What was under way on the old server fails: nobody knows what became of it, so nothing is done
 * twice behind the caller's back.
 */
export class PrimaryPool {
  private readonly logger = new Logger(PrimaryPool.name);
  private search: Promise<void> | null = null;
  private losses = 0;
  private readonly silent = new Set<string>();

  /** `timeline`: of the server that the pool was opened on, where there are several. */
  constructor(
    private readonly urls: readonly string[],
    private readonly owner: PoolOwner,
    private timeline = 0,
  ) {
    // A connection that nobody was using. TypeORM writes it down.
    this.pool.on('error', () => (this.losses += 1));
  }

  get pool(): Pool {
    return this.owner.master;
  }

  /** Another number after each connection that was lost. */
  get generation(): number {
    return this.losses;
  }

  /** Null unless the server is being looked for; resolves when that is over, however it ended. */
  get searching(): Promise<void> | null {
    return this.search;
  }

  /** Tells that the database did not answer as one that accepts writes. Cheap, and any number of times. */
  suspect(error: unknown): void {
    this.losses += 1;
    if (this.urls.length === 1) return;
    const isReadOnly = (causeOf(error) as { code?: string }).code === READ_ONLY;
    this.search ??= this.find(isReadOnly).finally(() => {
      this.search = null;
    });
  }

  /** Never rejects. */
  private async find(isReadOnly: boolean): Promise<void> {
    const deadline = performance.now() + SEARCH_MS;
    for (;;) {
      try {
        const { url, timeline } = await findWriter(this.urls, this.timeline, this.silent);
        this.timeline = timeline;
        if (url !== this.owner.master.options.connectionString || isReadOnly) this.moveTo(url);
        return;
      } catch (error) {
        if (performance.now() > deadline) {
          this.logger.warn(`No database accepts writes: ${messageOf(error)}.`);
          return;
        }
      }
      await new Promise((resolve) => setTimeout(resolve, SEARCH_INTERVAL_MS).unref());
    }
  }

  private moveTo(url: string): void {
    const old = this.owner.master;
    const pool = new Pool({ ...(old.options as PoolConfig), ...addressOf(url) });
    pool.on('error', (error) => this.suspect(error));
    this.owner.master = pool;
    this.logger.warn(`The database that accepts writes is ${hostOf(url)} now.`);
    // It waits for what is still under way there.
    void old.end().catch(() => undefined);
  }
}

/** The parts of the address stand in the pool's options beside it, and must not outlive it. */
export function addressOf(url: string): PoolConfig {
  return {
    connectionString: url,
    host: undefined,
    port: undefined,
    user: undefined,
    password: undefined,
    database: undefined,
  };
}

function causeOf(error: unknown): object {
  const cause = error instanceof DomainError ? error.cause : error;
  return typeof cause === 'object' && cause !== null ? cause : {};
}
