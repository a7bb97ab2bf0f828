import type { Database } from './database.js';

/** An object of a store, named by both ids. */
export interface Subject {
  readonly storeId: string;
  readonly id: string;
}

/**
 * Computes a fingerprint for each of many subjects: a text that changes when anything that a page shows of the subject
 * changes. One statement reads all of them, so that polling costs the same for any number of pages. On Citus there is
 * one statement for each subject, which runs on its node.
 */
export class Fingerprints {
  private readonly one: { readonly name: string; readonly text: string };
  private readonly many: { readonly name: string; readonly text: string };

  /**
   * @param name of the statements
   * @param marks makes a SELECT with one text column `mark` from the expressions of the store's id and the subject's id
   */
  constructor(name: string, marks: (storeId: string, id: string) => string) {
    const text = (storeId: string, id: string) =>
      `SELECT COALESCE(string_agg(mark, ',' ORDER BY mark), '') AS marks FROM (${marks(storeId, id)}) AS latest`;
    this.one = { name: `${name}-of-one`, text: text('$1::uuid', '$2::uuid') };
    this.many = {
      name,
      text: `SELECT wanted.id, found.marks FROM unnest($1::uuid[], $2::uuid[]) AS wanted (store_id, id)
        CROSS JOIN LATERAL (${text('wanted.store_id', 'wanted.id')}) AS found`,
    };
  }

  /** By the subject's id. */
  async of(database: Database, subjects: readonly Subject[]): Promise<ReadonlyMap<string, string>> {
    if (subjects.length === 0) return new Map();
    if (database.isDistributed)
      return new Map(
        await Promise.all(
          subjects.map(async ({ storeId, id }): Promise<[string, string]> => {
            const [row] = await database.query<{ marks: string }>(this.one, [storeId, id]);
            return [id, row?.marks ?? ''];
          }),
        ),
      );
    const values = [subjects.map(({ storeId }) => storeId), subjects.map(({ id }) => id)];
    const rows = await database.query<{ id: string; marks: string }>(this.many, values);
    return new Map(rows.map(({ id, marks }) => [id, marks]));
  }

  /** Fingerprints of whole stores: the subject is the store itself. */
  ofStores(database: Database, storeIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.of(
      database,
      storeIds.map((storeId) => ({ storeId, id: storeId })),
    );
  }
}
