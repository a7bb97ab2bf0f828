/** What bulk rows are asked for. */
export interface ManyRows {
  /** Ids of four stores; most rows are of the first. */
  readonly stores: readonly string[];
  /** A payment link of each, or null. */
  readonly links: readonly (string | null)[];
  /** Payments, at least a thousand. */
  readonly rows: number;
  readonly now?: Date;
  readonly progress?: (table: string, share: number) => void;
}

export const LARGE_TABLES: readonly string[];
export function loadManyRows(
  query: (text: string, values: unknown[]) => Promise<unknown>,
  options: ManyRows,
): Promise<void>;
