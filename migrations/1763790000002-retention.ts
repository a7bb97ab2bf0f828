import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Bodies of events that were delivered long ago are not kept; the event itself is. The index holds the events that still have
 * one, so that looking for old ones costs nothing for all that are done.
 */
export class Retention1763790000002 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE events ALTER body DROP NOT NULL');
    await queryRunner.query('CREATE INDEX events_with_body ON events (id) WHERE body IS NOT NULL');
  }

  /** A body that is gone does not come back: it becomes an empty object. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX events_with_body');
    await queryRunner.query(`UPDATE events SET body = '{}' WHERE body IS NULL`);
    await queryRunner.query('ALTER TABLE events ALTER body SET NOT NULL');
  }
}
