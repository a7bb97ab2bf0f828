import type { DataSource } from 'typeorm';

/** Every replica that starts takes this lock, so that one at a time migrates and the others then find nothing to do. */
const MIGRATION_LOCK = 7_001_970_019;

/**
 * Brings the schema up to date; one replica at a time (contract 8.8). Resolves to the names of the migrations that ran.
 * The lock belongs to the session, so a replica that dies in the middle gives it back.
 */
export async function migrate(dataSource: DataSource): Promise<string[]> {
  const queryRunner = dataSource.createQueryRunner();
  try {
    // Another replica may migrate for longer than a statement usually may take.
    await queryRunner.query('SET statement_timeout = 0');
    await queryRunner.query(`SELECT pg_advisory_lock(${MIGRATION_LOCK})`);
    try {
      const migrations = await dataSource.runMigrations({ transaction: 'each' });
      return migrations.map((migration) => migration.name);
    } finally {
      await queryRunner.query(`SELECT pg_advisory_unlock(${MIGRATION_LOCK})`);
      await queryRunner.query('RESET statement_timeout');
    }
  } finally {
    await queryRunner.release();
  }
}
