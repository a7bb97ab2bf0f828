import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The fields of a charge beyond those of its payment. */
export class CreateCharges1763900000000 implements MigrationInterface {
  readonly name = 'CreateCharges1763900000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE create_charges (
         payment_id uuid NOT NULL,
         store_id uuid NOT NULL,
         full_name text,
         email_address text,
         mobile_number text,
         metadata text,
         webhook_url text,
         api_key_header text NOT NULL,
         CONSTRAINT create_charges_pkey PRIMARY KEY (payment_id, store_id),
         CONSTRAINT create_charges_payment_fkey FOREIGN KEY (payment_id, store_id) REFERENCES payments (id, store_id)
       )`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE create_charges');
  }
}
