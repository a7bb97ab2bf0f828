import type { RateLimit } from '../../platform/config/index.js';
import type { Database } from '../../platform/database/index.js';
import { RateLimiterPostgres } from 'rate-limiter-flexible';

/** Counts under keys over all replicas, in the table `rate_limits`. */
export function rateLimiter(
  database: Database,
  keyPrefix: string,
  { count, windowMs }: RateLimit,
): RateLimiterPostgres {
  return new RateLimiterPostgres({
    storeClient: new RateLimitStore(database),
    storeType: 'pool',
    tableName: 'rate_limits',
    tableCreated: true,
    // Its timer would outlive the database; the sweep clears the table.
    clearExpiredByTimeout: false,
    keyPrefix,
    points: count,
    duration: windowMs / 1_000,
  });
}

/**
 * The part of a `pg` pool that the limiter needs, over our own database access, which knows when the database is
 * away.
 */
class RateLimitStore {
  constructor(private readonly database: Database) {}

  async query(statement: {
    name: string;
    text: string;
    values: unknown[];
  }): Promise<{ rows: unknown[]; rowCount: number }> {
    const rows = await this.database.query({ name: statement.name, text: statement.text }, statement.values);
    return { rows, rowCount: rows.length };
  }
}
