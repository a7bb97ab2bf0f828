import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Database } from './database.js';
import type { Statement } from './transaction.js';
import { ScheduledJob } from './scheduled-job.js';

const LOOK_EVERY_MS = 2_000;
/** Rows from which on it matters by which index they are found. */
const ROWS_WORTH_IT = 200;

/** A table whose rows nobody has counted yet; those of others, or without a right to, are left to autovacuum. */
const FIND_WITHOUT: Statement = {
  name: 'tables-without-statistics',
  text: `SELECT quote_ident(s.relname) AS name FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
    WHERE s.schemaname = current_schema() AND s.last_analyze IS NULL AND s.last_autoanalyze IS NULL
      AND s.n_mod_since_analyze >= ${ROWS_WORTH_IT} AND c.relkind = 'r' AND pg_has_role(c.relowner, 'USAGE')
    ORDER BY s.relname`,
};

/**
 * Has the first rows of new tables counted. Until then all indexes of a table look alike to PostgreSQL, and what it
 * planned while the table was empty it keeps: a look-up by TrxID may read all receipts of a store. Autovacuum would
 * put an end to that within a minute or more; the first minutes of a service are somebody's first impression of it.
 * From then on autovacuum counts again as tables grow.
 */
@Injectable()
export class FirstStatistics extends ScheduledJob {
  constructor(private readonly database: Database) {
    super();
  }

  @Interval('first-statistics', LOOK_EVERY_MS)
  override run(): Promise<void> {
    return this.database.isDistributed ? Promise.resolve() : super.run();
  }

  async round(): Promise<void> {
    for (const { name } of await this.database.query<{ name: string }>(FIND_WITHOUT)) {
      if (this.isStopping) return;
      // Another replica may be at it.
      await this.database.execute(`ANALYZE (SKIP_LOCKED) ${name}`);
    }
  }
}
