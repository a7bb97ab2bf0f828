import type { Queryable } from '../database/index.js';
import { chainOf, type ChainLink, CONTENT, entryHash } from './audit-chain.js';
import type { AuditEntry } from './audit-entry.js';

/** The first entry of a chain that is not what was written. */
export interface BrokenEntry {
  readonly chain: string;
  readonly position: number;
  /** Null when the entry is missing. */
  readonly id: string | null;
  readonly reason: 'missing' | 'changed' | 'unlinked' | 'moved' | 'rewritten';
}

/**
 * How far a chain reaches. Kept outside the database, it shows later whether the end was cut off or all was
 * rewritten.
 */
export interface ChainHead {
  readonly chain: string;
  readonly position: number;
  readonly hash: string;
}

export interface VerifiedLog {
  readonly entries: number;
  readonly heads: readonly ChainHead[];
  /** At most one for each chain; what comes after it is not looked at. */
  readonly broken: readonly BrokenEntry[];
}

const BATCH_SIZE = 1_000;
const FIRST_LINK: ChainLink = { position: 0, previousHash: null };

/**
 * Looks at every entry of every chain, in order. `anchors` are heads of an earlier verification: without them an end
 * that was cut off, and a chain that was computed anew as a whole, look right.
 */
export async function verifyAuditLog(
  on: Queryable,
  anchors: readonly ChainHead[] = [],
): Promise<VerifiedLog> {
  const chains = await on.query<{ chain: string }>('SELECT DISTINCT chain FROM audit_entries ORDER BY chain');
  const names = new Set([...chains.map(({ chain }) => chain), ...anchors.map(({ chain }) => chain)]);
  const heads: ChainHead[] = [];
  const broken: BrokenEntry[] = [];
  let entries = 0;
  for (const chain of names) {
    const expected = new Map(
      anchors.filter((anchor) => anchor.chain === chain).map(({ position, hash }) => [position, hash]),
    );
    const result = await verifyChain(on, chain, expected);
    entries += result.entries;
    if (result.broken !== null) broken.push(result.broken);
    else if (result.head !== null) heads.push(result.head);
  }
  return { entries, heads, broken };
}

/** The result of a check of the newest entries of one chain. */
export interface CheckedChain {
  /** How long the chain is, as its last entry says. */
  readonly entries: number;
  /** How many of them were looked at. */
  readonly checked: number;
  /** Null of a chain without entries, and of a broken one. */
  readonly head: ChainHead | null;
  readonly broken: BrokenEntry | null;
}

/**
 * Looks at the newest entries of a chain, at about `limit` of them, in order. What was cut off at the end does not
 * show.
 */
export async function verifyNewest(on: Queryable, chain: string, limit: number): Promise<CheckedChain> {
  const [last] = await on.query<{ position: string }>(
    'SELECT position FROM audit_entries WHERE chain = $1 ORDER BY position DESC LIMIT 1',
    [chain],
  );
  const entries = Number(last?.position ?? 0);
  const from = await linkAt(on, chain, Math.max(0, entries - limit));
  if (from === null) {
    const broken = { chain, position: entries - limit, id: null, reason: 'missing' } as const;
    return { entries, checked: 0, head: null, broken };
  }
  const found = await verifyChain(on, chain, new Map(), from);
  return {
    entries: Math.max(entries, found.entries),
    checked: found.entries - from.position,
    head: found.head,
    broken: found.broken,
  };
}

/** The hash that the entry behind this position must follow; null if there is none at the position. */
async function linkAt(on: Queryable, chain: string, position: number): Promise<ChainLink | null> {
  if (position === 0) return FIRST_LINK;
  const [row] = await on.query<{ hash: Buffer }>(
    'SELECT hash FROM audit_entries WHERE chain = $1 AND position = $2',
    [chain, position],
  );
  return row === undefined ? null : { position, previousHash: row.hash };
}

interface VerifiedChain {
  /** Position of the last entry that is right. */
  readonly entries: number;
  readonly head: ChainHead | null;
  readonly broken: BrokenEntry | null;
}

async function verifyChain(
  on: Queryable,
  chain: string,
  anchors: ReadonlyMap<number, string>,
  from: ChainLink = FIRST_LINK,
): Promise<VerifiedChain> {
  let link = from;
  for (;;) {
    const rows = await on.query<AuditEntry>(
      `SELECT chain, position, previous_hash AS "previousHash", hash, ${CONTENT}
       FROM audit_entries WHERE chain = $1 AND position > $2 ORDER BY position LIMIT $3`,
      [chain, link.position, BATCH_SIZE],
    );
    for (const row of rows) {
      const reason = faultOf(row, link, anchors);
      const position = link.position + 1;
      const id = reason === 'missing' ? null : row.id;
      if (reason !== null)
        return { entries: link.position, head: null, broken: { chain, position, id, reason } };
      link = { position, previousHash: row.hash };
    }
    if (rows.length < BATCH_SIZE) return endOf(chain, link, anchors);
  }
}

/** The fault of the entry that follows `before`, or null. */
function faultOf(
  row: AuditEntry,
  before: ChainLink,
  anchors: ReadonlyMap<number, string>,
): BrokenEntry['reason'] | null {
  const position = before.position + 1;
  if (Number(row.position) !== position) return 'missing';
  if (row.chain !== chainOf(row.storeId)) return 'moved';
  if (!sameHash(row.previousHash, before.previousHash)) return 'unlinked';
  const hash = entryHash({ position, previousHash: before.previousHash }, row);
  if (!hash.equals(row.hash)) return 'changed';
  const anchor = anchors.get(position);
  return anchor === undefined || anchor === hash.toString('hex') ? null : 'rewritten';
}

function endOf(
  chain: string,
  { position, previousHash }: ChainLink,
  anchors: ReadonlyMap<number, string>,
): VerifiedChain {
  const beyond = [...anchors.keys()].some((anchored) => anchored > position);
  if (beyond) {
    const broken = { chain, position: position + 1, id: null, reason: 'missing' } as const;
    return { entries: position, head: null, broken };
  }
  const head = previousHash === null ? null : { chain, position, hash: previousHash.toString('hex') };
  return { entries: position, head, broken: null };
}

function sameHash(left: Buffer | null, right: Buffer | null): boolean {
  return left === null || right === null ? left === right : left.equals(right);
}
