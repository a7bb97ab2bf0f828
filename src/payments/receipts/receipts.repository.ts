import { Injectable } from '@nestjs/common';
import {
  Database,
  plainArray,
  type Queryable,
  textArray,
  together,
  type Transaction,
} from '../../platform/database/index.js';
import type { PagePosition } from '../../platform/http/index.js';
import { FIRST_ID } from '../../kernel/ids.js';
import { lookBackMsOf, type Store } from '../../stores/index.js';
import type { PaymentStatus } from '../payments/payment.js';
import type { BalanceLine, LatestBalance } from './balances.js';
import { type NewReceipt, type Receipt, receiptDigest, type ReceiptStatus, SENT_KIND } from './receipt.js';
import { RECEIPTS } from './receipts.table.js';
import { arraysOfTrx, type StoreTrx } from '../payments/store-trx.js';

interface ReceiptRow {
  readonly payment_id: string | null;
  readonly payment_status: PaymentStatus | null;
}

interface KeeperRow {
  readonly owner_id: string;
  readonly provider: string;
  readonly trx_id: string;
  readonly kept_by: string;
}

interface BalanceRow {
  readonly balance_minor: string;
  readonly arrived_at: Date;
}

/** A wallet's TrxID, with the store that got it and its owner. */
export interface OwnersTrx extends StoreTrx {
  readonly store: Store;
  readonly ownerId: string;
  readonly provider: string;
}

const SELECT = `SELECT ${RECEIPTS.list('r')}, p.id AS payment_id, p.status AS payment_status
  FROM receipts r LEFT JOIN payments p ON p.receipt_id = r.id AND p.store_id = r.store_id`;

const INSERT = RECEIPTS.insert('receipts-insert', 'ON CONFLICT DO NOTHING RETURNING id');

const INSERT_MANY = RECEIPTS.insertMany('receipts-insert-many');

/** Which TrxIDs of several stores have a receipt already. Never asked of a cluster. */
const FIND_KNOWN = {
  name: 'receipts-find-known',
  text: `SELECT wanted.store_id, wanted.trx_id FROM unnest($1::uuid[], $2::text[]) AS wanted (store_id, trx_id)
    CROSS JOIN LATERAL (
      SELECT FROM receipts r
      WHERE r.store_id = wanted.store_id AND r.trx_id = wanted.trx_id AND r.status <> 'ignored' LIMIT 1
    ) known`,
};

const FIND_SAME = {
  name: 'receipts-find-same',
  text: `${SELECT} WHERE r.store_id = $1 AND r.status <> 'ignored'
      AND r.simulated = $5
      AND ((r.provider = $2 AND r.trx_id = $3) OR (r.trx_id IS NULL AND r.digest = $4))
    LIMIT 1`,
};

const FIND = { name: 'receipts-find', text: `${SELECT} WHERE r.id = $1 AND r.store_id = $2` };

const LIST_BY_IDS = {
  name: 'receipts-list-by-ids',
  text: `${SELECT} WHERE r.store_id = $1 AND r.id = ANY ($2::uuid[]) ORDER BY r.id`,
};

const LOCK_MANY = {
  name: 'receipts-lock-many',
  text: 'SELECT id FROM receipts WHERE store_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR UPDATE',
};

const LIST_BY_TRX = {
  name: 'receipts-list-by-trx',
  text: `${SELECT} WHERE r.store_id = $1 AND r.trx_id = $2 AND r.status <> 'ignored' ORDER BY r.id LIMIT 100`,
};

/** Messages of the store's phone about money that it sent; kept, and ignored by all matching. */
const FIND_SENT = {
  name: 'receipts-find-sent',
  text: `SELECT id FROM receipts
    WHERE store_id = $1 AND trx_id = $2 AND provider = $3 AND amount_minor = $4 AND currency = $5 AND kind = '${SENT_KIND}'
      AND status = 'ignored' AND NOT simulated
    ORDER BY arrived_at LIMIT 1`,
};

const LIST_BY_LAST4 = {
  name: 'receipts-list-by-last4',
  text: `${SELECT} WHERE r.store_id = $1 AND r.last4digit = $2 AND r.amount_minor = $3 AND r.status <> 'ignored'
      AND r.money_from <= $5 AND r.money_until >= $4
    ORDER BY r.id LIMIT 100`,
};

const LATEST_BALANCE = (storeId: string, provider: string, app: string, phoneLine: string) =>
  `SELECT r.balance_minor, r.arrived_at FROM receipts r
    WHERE r.store_id = ${storeId} AND r.provider = ${provider} AND r.app = ${app} AND r.phone_line = ${phoneLine}
      AND r.balance_minor IS NOT NULL AND NOT r.simulated
    ORDER BY r.arrived_at DESC, r.id DESC LIMIT 1`;
const FIND_BALANCE = { name: 'receipts-find-balance', text: LATEST_BALANCE('$1', '$2', '$3', '$4') };
/** Latest balances of lines of several stores. Never asked of a cluster. */
const FIND_BALANCES = {
  name: 'receipts-find-balances',
  text: `SELECT wanted.number, latest.balance_minor, latest.arrived_at
    FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[])
      WITH ORDINALITY AS wanted (store_id, provider, app, phone_line, number)
    CROSS JOIN LATERAL (
      ${LATEST_BALANCE('wanted.store_id', 'wanted.provider', 'wanted.app', 'wanted.phone_line')}
    ) latest`,
};

const SAVE = {
  name: 'receipts-save',
  text: `UPDATE receipts SET status = $3, flags = $4, voided_at = $5, void_reason = $6 WHERE id = $1 AND store_id = $2`,
};

/**
 * A receipt with a TrxID and digits can be claimed under either key: one that has found its payment stays what it is.
 */
const DOUBT = {
  name: 'receipts-doubt',
  text: `UPDATE receipts SET status = 'review'
    WHERE id = ANY ($1::uuid[]) AND store_id = $2 AND status = 'unmatched'`,
};

/** Receipts of TrxIDs for which a user has verified a payment over less, or over none; not the one that verified it. */
const DOUBT_APPROVED = {
  name: 'receipts-doubt-approved',
  text: `UPDATE receipts SET status = CASE status WHEN 'unmatched' THEN 'review' ELSE status END,
      flags = flags || '["approved_before"]'
    WHERE store_id = $1 AND trx_id = ANY ($2::text[]) AND status IN ('unmatched', 'review', 'void') AND NOT simulated
      AND NOT flags ? 'approved_before'`,
};

const KEEP_FOR_OWNER = {
  name: 'owner-receipts-keep',
  text: `INSERT INTO owner_receipts (owner_id, provider, trx_id, kept_by, created_at)
    SELECT $1, $2, $3, $4, $5
    WHERE EXISTS (SELECT FROM stores WHERE owner_id = $1 AND id <> $4 AND (archived_at IS NULL OR archived_at > $6))
    ON CONFLICT (owner_id, provider, trx_id) DO UPDATE SET kept_by = owner_receipts.kept_by
    RETURNING kept_by`,
};

/**
 * The same for several owners; in one order for everybody, because each is locked until the commit. Never asked of a
 * cluster.
 */
const KEEP_FOR_OWNERS = {
  name: 'owner-receipts-keep-many',
  text: `INSERT INTO owner_receipts (owner_id, provider, trx_id, kept_by, created_at)
    SELECT wanted.owner_id, wanted.provider, wanted.trx_id, wanted.store_id, $5
    FROM unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $6::timestamptz[])
      AS wanted (owner_id, provider, trx_id, store_id, live_since)
    WHERE EXISTS (
      SELECT FROM stores s WHERE s.owner_id = wanted.owner_id AND s.id <> wanted.store_id
        AND (s.archived_at IS NULL OR s.archived_at > wanted.live_since))
    ORDER BY 1, 2, 3
    ON CONFLICT (owner_id, provider, trx_id) DO UPDATE SET kept_by = owner_receipts.kept_by
    RETURNING owner_id, provider, trx_id, kept_by`,
};

const KEPT_AT_A_TIME = 2_000;
const LIST_ARRIVED = {
  name: 'receipts-list-arrived',
  text: `SELECT id, arrived_at, provider, CASE WHEN simulated OR status = 'ignored' THEN NULL ELSE trx_id END AS trx_id
    FROM receipts WHERE store_id = $1 AND (arrived_at, id) > ($2, $3::uuid) ORDER BY arrived_at, id LIMIT $4`,
};
const KEEP_FORMER = {
  name: 'owner-receipts-keep-former',
  text: `INSERT INTO owner_receipts (owner_id, provider, trx_id, kept_by, created_at)
    SELECT $1, former.provider, former.trx_id, $2, former.at
    FROM unnest($3::text[], $4::text[], $5::timestamptz[]) AS former (provider, trx_id, at)
    ORDER BY 2, 3 ON CONFLICT (owner_id, provider, trx_id) DO NOTHING`,
};

/** The only place that knows the table `receipts`. */
@Injectable()
export class ReceiptsRepository {
  constructor(private readonly database: Database) {}

  /** Stores a receipt that the store does not have yet: its keys are held, or it is an ignored one. */
  async insertNew(on: Pick<Queryable, 'query'>, receipt: Receipt): Promise<void> {
    if ((await on.query(INSERT, RECEIPTS.valuesOf(receipt))).length === 0)
      throw new Error('The receipt is there already, although its key was held.');
  }

  /** Stores receipts of several stores, none of which is there yet; all of them or none. Not on a cluster. */
  async insertMany(tx: Pick<Queryable, 'query'>, receipts: readonly Receipt[]): Promise<void> {
    const [first] = receipts;
    if (receipts.length === 1 && first !== undefined) await this.insertNew(tx, first);
    else await tx.query(INSERT_MANY, RECEIPTS.arraysOf(receipts));
  }

  /** The receipt that makes another one a duplicate. */
  async findSame(tx: Queryable, storeId: string, receipt: NewReceipt): Promise<Receipt | null> {
    const values = [storeId, receipt.provider, receipt.trxId, receiptDigest(receipt), receipt.simulated];
    const [row] = await tx.query<ReceiptRow>(FIND_SAME, values);
    return row === undefined ? null : receiptOf(row);
  }

  /** Tells of which of these the store has a receipt already. Not on a cluster. */
  async findKnown(tx: Transaction, wanted: readonly StoreTrx[]): Promise<(one: StoreTrx) => boolean> {
    const rows = await tx.query<{ store_id: string; trx_id: string }>(FIND_KNOWN, arraysOfTrx(wanted));
    const known = new Set(rows.map((row) => `${row.store_id} ${row.trx_id}`));
    return ({ storeId, trxId }) => known.has(`${storeId} ${trxId}`);
  }

  async findOfStore(on: Queryable, storeId: string, receiptId: string): Promise<Receipt | null> {
    const [row] = await on.query<ReceiptRow>(FIND, [receiptId, storeId]);
    return row === undefined ? null : receiptOf(row);
  }

  async listByIds(on: Queryable, storeId: string, receiptIds: readonly string[]): Promise<Receipt[]> {
    if (receiptIds.length === 0) return [];
    return (await on.query<ReceiptRow>(LIST_BY_IDS, [storeId, receiptIds])).map(receiptOf);
  }

  /** Locks receipts, in the order of their ids. */
  async lockMany(tx: Transaction, storeId: string, receiptIds: readonly string[]): Promise<void> {
    await tx.query(LOCK_MANY, [storeId, receiptIds]);
  }

  /** Every receipt of the store with this TrxID, attached or not. */
  async listByTrx(tx: Queryable, storeId: string, trxId: string): Promise<Receipt[]> {
    return (await tx.query<ReceiptRow>(LIST_BY_TRX, [storeId, trxId])).map(receiptOf);
  }

  /** The phone's message about money that was sent with this TrxID, in exactly this amount; null when none has come. */
  async findSent(
    tx: Queryable,
    storeId: string,
    sent: { provider: string; trxId: string; amountMinor: number; currency: string },
  ): Promise<{ readonly id: string } | null> {
    const values = [storeId, sent.trxId, sent.provider, sent.amountMinor, sent.currency];
    const [row] = await tx.query<{ id: string }>(FIND_SENT, values);
    return row ?? null;
  }

  /** Receipts with these digits and this amount, attached or not, whose money came between two instants. */
  async listByLast4(
    tx: Queryable,
    key: { storeId: string; last4digit: string; amountMinor: number },
    between: { from: Date; to: Date },
  ): Promise<Receipt[]> {
    const values = [key.storeId, key.last4digit, key.amountMinor, between.from, between.to];
    return (await tx.query<ReceiptRow>(LIST_BY_LAST4, values)).map(receiptOf);
  }

  /** Writes what a decision changes of a receipt. */
  async save(tx: Transaction, receipt: Receipt): Promise<void> {
    const { id, storeId, status, flags, voidedAt, voidReason } = receipt;
    await tx.execute(SAVE, [id, storeId, status, JSON.stringify(flags), voidedAt, voidReason]);
  }

  /** Leaves receipts to a user. */
  async doubt(tx: Transaction, storeId: string, receiptIds: readonly string[]): Promise<void> {
    if (receiptIds.length > 0) await tx.execute(DOUBT, [receiptIds, storeId]);
  }

  /**
   * Leaves the receipts of these TrxIDs to a user: a payment for which they were submitted is verified over
   * less than its amount, or over no receipt (contract 4.19). The keys of the TrxIDs must be held.
   */
  async doubtApproved(tx: Transaction, storeId: string, trxIds: readonly string[]): Promise<void> {
    if (trxIds.length > 0) await tx.execute(DOUBT_APPROVED, [storeId, trxIds]);
  }

  /**
   * Which store of an owner has a wallet's TrxID: written before the receipt, so that one phone that feeds two stores
   * does not pay twice. Null where the owner has one live store only (contract 4.47).
   */
  async keeperOf(
    on: Queryable,
    store: Store,
    receipt: { provider: string; trxId: string },
    at: Date,
  ): Promise<string | null> {
    const values = [store.ownerId, receipt.provider, receipt.trxId, store.id, at, liveSince(store, at)];
    const [row] = await on.query<{ kept_by: string }>(KEEP_FOR_OWNER, values);
    return row?.kept_by ?? null;
  }

  /**
   * Notes the TrxIDs of the receipts that a store of an owner got since an instant: with one store there was no need.
   * What is older is `old_money` for the payments of all stores (contract 4.49).
   */
  async keepForSecondStore(tx: Transaction, ownerId: string, storeId: string, since: Date): Promise<void> {
    for (let after = { at: since, id: FIRST_ID }; ;) {
      const rows = await tx.query<{ id: string; arrived_at: Date; provider: string; trx_id: string | null }>(
        LIST_ARRIVED,
        [storeId, after.at, after.id, KEPT_AT_A_TIME],
      );
      const known = rows.flatMap(({ provider, trx_id: trxId, arrived_at: at }) =>
        trxId === null ? [] : [{ provider, trxId, at }],
      );
      await tx.execute(KEEP_FORMER, [
        ownerId,
        storeId,
        known.map(({ provider }) => provider),
        known.map(({ trxId }) => trxId),
        known.map(({ at }) => at),
      ]);
      const last = rows.at(-1);
      if (last === undefined || rows.length < KEPT_AT_A_TIME) return;
      after = { at: last.arrived_at, id: last.id };
    }
  }

  /** The same for several owners. Not on a cluster. */
  async keepersOf(
    tx: Transaction,
    wanted: readonly OwnersTrx[],
    at: Date,
  ): Promise<(one: OwnersTrx) => string | null> {
    const values = [
      plainArray(wanted.map(({ ownerId }) => ownerId)),
      textArray(wanted.map(({ provider }) => provider)),
      textArray(wanted.map(({ trxId }) => trxId)),
      plainArray(wanted.map(({ storeId }) => storeId)),
      at,
      textArray(wanted.map(({ store }) => liveSince(store, at).toISOString())),
    ];
    const rows = await tx.query<KeeperRow>(KEEP_FOR_OWNERS, values);
    const keepers = new Map(
      rows.map((row) => [`${row.owner_id} ${row.provider} ${row.trx_id}`, row.kept_by]),
    );
    return ({ ownerId, provider, trxId }) => keepers.get(`${ownerId} ${provider} ${trxId}`) ?? null;
  }

  /** The balances that the latest receipts of some lines of a store told. */
  async listBalances(on: Queryable, lines: readonly BalanceLine[]): Promise<LatestBalance[]> {
    const found = lines.map(async (line) => {
      const values = [line.storeId, line.provider, line.app, line.phoneLine];
      const [row] = await on.query<BalanceRow>(FIND_BALANCE, values);
      return row === undefined ? [] : [balanceOf(line, row)];
    });
    return (await together(found)).flat();
  }

  /** Lists the same balances for lines of several stores, with one statement. Not on a cluster. */
  async listBalancesOfMany(tx: Transaction, lines: readonly BalanceLine[]): Promise<LatestBalance[]> {
    if (lines.length === 0) return [];
    const rows = await tx.query<BalanceRow & { readonly number: string }>(FIND_BALANCES, [
      plainArray(lines.map(({ storeId }) => storeId)),
      textArray(lines.map(({ provider }) => provider)),
      textArray(lines.map(({ app }) => app)),
      textArray(lines.map(({ phoneLine }) => phoneLine)),
    ]);
    return rows.map((row) => balanceOf(lines[Number(row.number) - 1]!, row));
  }

  /** Newest first. Answers one row more than `limit`. */
  async list(
    storeId: string,
    status: ReceiptStatus | undefined,
    position: PagePosition | null,
    limit: number,
  ): Promise<Receipt[]> {
    const rows = await this.database.query<ReceiptRow>(
      `${SELECT} WHERE r.store_id = $1
         AND ($2::text IS NULL OR r.status = $2)
         AND ($3::timestamptz IS NULL OR (r.arrived_at, r.id) < ($3, $4::uuid))
       ORDER BY r.arrived_at DESC, r.id DESC LIMIT $5`,
      [storeId, status ?? null, position?.at ?? null, position?.id ?? null, limit + 1],
    );
    return rows.map(receiptOf);
  }
}

/** A store of the owner that was archived since then counts as live (contract 4.50). */
function liveSince(store: Store, at: Date): Date {
  return new Date(at.getTime() - lookBackMsOf([store]));
}

function balanceOf(line: BalanceLine, row: BalanceRow): LatestBalance {
  return { ...line, balanceMinor: Number(row.balance_minor), arrivedAt: row.arrived_at };
}

function receiptOf(row: ReceiptRow): Receipt {
  const { payment_id: paymentId, payment_status: status } = row;
  const attachedTo = paymentId === null ? null : { paymentId, verified: status === 'verified' };
  return Object.assign(RECEIPTS.read(row), { paymentId, attachedTo });
}
