import type { MigrationInterface, QueryRunner } from 'typeorm';
import { chainOf, type ChainLink, entryHash } from '../src/audit/audit-chain.js';
import { type AuditEntryRow, contentOf } from '../src/audit/audit-entry-row.js';

/**
 * Links the entries of the audit log: each holds the hash of its content and of the entry before it. What is there already is
 * linked in the order of its time; from then on a change shows.
 */
export class AuditChain1763800000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of BEFORE) await queryRunner.query(statement);
    await linkEntries(queryRunner);
    for (const statement of AFTER) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'ALTER TABLE audit_entries DROP COLUMN chain, DROP COLUMN position, DROP COLUMN previous_hash, DROP COLUMN hash',
    );
  }
}

const BATCH_SIZE = 1_000;

const BEFORE = [
  `ALTER TABLE audit_entries ADD COLUMN chain uuid, ADD COLUMN position bigint, ADD COLUMN previous_hash bytea,
     ADD COLUMN hash bytea`,
  // Held until the migration commits, together with the table: nobody writes between the entries.
  'ALTER TABLE audit_entries DISABLE TRIGGER audit_entries_no_change',
];

const AFTER = [
  'ALTER TABLE audit_entries ENABLE TRIGGER audit_entries_no_change',
  `ALTER TABLE audit_entries ALTER COLUMN chain SET NOT NULL, ALTER COLUMN position SET NOT NULL,
     ALTER COLUMN hash SET NOT NULL,
     ADD CONSTRAINT audit_entries_chain_key UNIQUE (chain, position),
     ADD CONSTRAINT audit_entries_chain CHECK (chain = coalesce(store_id, '00000000-0000-0000-0000-000000000000')),
     ADD CONSTRAINT audit_entries_first CHECK (position >= 1 AND (position = 1) = (previous_hash IS NULL))`,
];

async function linkEntries(queryRunner: QueryRunner): Promise<void> {
  const links = new Map<string, ChainLink>();
  let after: AuditEntryRow | undefined;
  for (;;) {
    const rows = (await queryRunner.query(
      `SELECT id, at, store_id, actor_type, actor_id, actor_email, action, address, details FROM audit_entries
       WHERE $1::timestamptz IS NULL OR (at, id) > ($1, $2::uuid) ORDER BY at, id LIMIT ${BATCH_SIZE}`,
      [after?.at ?? null, after?.id ?? null],
    )) as AuditEntryRow[];
    for (const row of rows) await linkEntry(queryRunner, links, row);
    after = rows.at(-1);
    if (rows.length < BATCH_SIZE) return;
  }
}

async function linkEntry(
  queryRunner: QueryRunner,
  links: Map<string, ChainLink>,
  row: AuditEntryRow,
): Promise<void> {
  const chain = chainOf(row.store_id);
  const link = links.get(chain) ?? { position: 1, previousHash: null };
  const hash = entryHash(link, contentOf(row));
  await queryRunner.query(
    'UPDATE audit_entries SET chain = $2, position = $3, previous_hash = $4, hash = $5 WHERE id = $1',
    [row.id, chain, link.position, link.previousHash, hash],
  );
  links.set(chain, { position: link.position + 1, previousHash: hash });
}
