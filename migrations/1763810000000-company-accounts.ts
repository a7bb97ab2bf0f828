import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which account belongs to which subject of the company's identity provider. */
export class CompanyAccounts1763810000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(UP);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE company_accounts');
  }
}

const UP = `CREATE TABLE company_accounts (
  issuer text NOT NULL,
  subject text NOT NULL,
  user_id uuid NOT NULL,
  told_at timestamptz(3) NOT NULL,
  CONSTRAINT company_accounts_pkey PRIMARY KEY (issuer, subject),
  CONSTRAINT company_accounts_user_key UNIQUE (user_id),
  CONSTRAINT company_accounts_user_fkey FOREIGN KEY (user_id) REFERENCES users (id)
)`;
