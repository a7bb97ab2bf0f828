import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Endpoints that are not sent to any more until a person says so: because they answered 410, or nothing but failures for
 * days. Since when they fail is kept beside the store, where one probe finds it.
 */
export class EndpointPause1763790000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of UP) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await queryRunner.query(statement);
  }
}

const UP = [
  `ALTER TABLE stores
     ADD webhook_failing_since timestamptz(3),
     ADD webhook_paused_at timestamptz(3),
     ADD webhook_pause_reason text,
     ADD CONSTRAINT stores_webhook_pause_reason CHECK (webhook_pause_reason IN ('gone', 'failing')),
     ADD CONSTRAINT stores_webhook_pause CHECK ((webhook_paused_at IS NULL) = (webhook_pause_reason IS NULL))`,
  `CREATE INDEX stores_failing ON stores (webhook_failing_since)
     WHERE webhook_failing_since IS NOT NULL AND webhook_paused_at IS NULL`,
];

const DOWN = [
  'DROP INDEX stores_failing',
  `ALTER TABLE stores DROP webhook_failing_since, DROP webhook_paused_at, DROP webhook_pause_reason`,
];
