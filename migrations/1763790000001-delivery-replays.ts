import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Replays of a range of deliveries: in a table, so that they go on after a crash where they were. */
export class DeliveryReplays1763790000001 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of UP) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE delivery_replays');
  }
}

const UP = [
  `CREATE TABLE delivery_replays (
     id uuid NOT NULL,
     store_id uuid NOT NULL,
     status text NOT NULL,
     choice text NOT NULL,
     since timestamptz(3) NOT NULL,
     until timestamptz(3) NOT NULL,
     total integer NOT NULL,
     done integer NOT NULL DEFAULT 0,
     cursor_at timestamptz(3),
     cursor_id uuid,
     created_at timestamptz(3) NOT NULL,
     advanced_at timestamptz(3) NOT NULL,
     finished_at timestamptz(3),
     CONSTRAINT delivery_replays_pkey PRIMARY KEY (id),
     CONSTRAINT delivery_replays_store_fkey FOREIGN KEY (store_id) REFERENCES stores (id),
     CONSTRAINT delivery_replays_status CHECK (status IN ('running', 'done')),
     CONSTRAINT delivery_replays_choice CHECK (choice IN ('failed', 'all')),
     CONSTRAINT delivery_replays_finished CHECK ((status = 'done') = (finished_at IS NOT NULL)),
     CONSTRAINT delivery_replays_cursor CHECK ((cursor_at IS NULL) = (cursor_id IS NULL))
   )`,
  `CREATE UNIQUE INDEX delivery_replays_running ON delivery_replays (store_id) WHERE status = 'running'`,
];
