import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Every change of a delivery writes an entry into each of its indexes, so there are no more than are needed: the deliveries
 * of a payment are found through its events.
 *
 * `deliveries_due` tells when the next delivery of all is due. It holds an expression, so that nothing else can use it: the
 * planner took it for looking up what is due for one store, and read everybody's rows.
 *
 * An attempt is written by the statement that has just changed its delivery, and deliveries are never deleted: the foreign
 * key only looked up again, row by row, what had been found.
 */
export class DeliveryIndexes1763820000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX deliveries_payment');
    await queryRunner.query('DROP INDEX deliveries_due');
    await queryRunner.query('ALTER TABLE delivery_attempts DROP CONSTRAINT delivery_attempts_delivery_fkey');
    await queryRunner.query(
      `CREATE INDEX deliveries_due ON deliveries ((due_at AT TIME ZONE 'UTC')) WHERE status = 'pending'`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX deliveries_due');
    await queryRunner.query(`CREATE INDEX deliveries_due ON deliveries (due_at) WHERE status = 'pending'`);
    await queryRunner.query('CREATE INDEX deliveries_payment ON deliveries (payment_id)');
    await queryRunner.query(
      `ALTER TABLE delivery_attempts
       ADD CONSTRAINT delivery_attempts_delivery_fkey FOREIGN KEY (delivery_id) REFERENCES deliveries (id)`,
    );
  }
}
