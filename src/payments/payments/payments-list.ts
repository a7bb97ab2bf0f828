import type { PagePosition } from '../../platform/http/index.js';
import type { PaymentStatus } from './payment.js';
import { PAYMENTS } from './payments.table.js';

export interface PaymentFilter {
  readonly status?: PaymentStatus;
  readonly provider?: string;
  readonly trxId?: string;
  readonly customerPhone?: string;
  readonly paymentLinkId?: string;
  readonly createdFrom?: Date;
  readonly createdTo?: Date;
  readonly verifiedFrom?: Date;
  readonly verifiedTo?: Date;
  /** Values under keys of `metadata`, compared as text. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** The words that a customer reads out: a TrxID, a phone number, or a part of the note or the name. */
  readonly search?: string;
}

/** Which page of a store's payments, newest first; statuses are as they are `now`, not as the sweep left them. */
export interface PaymentsAsked {
  readonly storeId: string;
  /** Only among these payments; null for all. */
  readonly among?: readonly string[] | null;
  readonly filter: PaymentFilter;
  readonly position: PagePosition | null;
  readonly limit: number;
  readonly now: Date;
}

/** Notes, names and ends of phone numbers are looked for in so many payments: the latest of what else is asked for. */
export const SEARCHED_PAYMENTS = 5_000;
const SEARCHED_PHONE_DIGITS = 10;

const COLUMNS = PAYMENTS.list();
const NEWEST_FIRST = 'ORDER BY created_at DESC, id DESC';

type Parameter = (value: unknown) => string;

/**
 * The statement of one page. What an index finds in the order of the list is read from there, as far as the page
 * goes. What only several indexes find together ("expired" is three states, a TrxID stands in two columns) is looked
 * for in each, a page at most: joined by OR, PostgreSQL would read all there is, and sort it.
 */
export function paymentsPage({ storeId, filter, position, limit, now, among = null }: PaymentsAsked): {
  readonly text: string;
  readonly values: readonly unknown[];
} {
  const values: unknown[] = [storeId];
  const parameter: Parameter = (value) => `$${values.push(value)}`;
  const most = parameter(limit);
  const behind =
    position === null
      ? []
      : [`(created_at, id) < (${parameter(position.at)}, ${parameter(position.id)}::uuid)`];
  const idsOf = (conditions: readonly string[], from = 'payments'): string =>
    `(SELECT id FROM ${from} WHERE ${[...conditions, ...behind].join(' AND ')} ${NEWEST_FIRST} LIMIT ${most})`;

  const common = commonConditions(filter, parameter);
  if (among !== null) common.push(`id = ANY (${parameter(among)}::uuid[])`);
  const ways = statusConditions(filter.status, parameter, now).flatMap((status) =>
    trxIdConditions(filter.trxId, parameter).map((trxId) => [...common, ...status, ...trxId]),
  );
  const { search } = filter;
  const found = search === undefined ? null : searchConditions(search, parameter);
  if (found === null && ways.length === 1) return { text: pageText([...ways[0]!, ...behind], most), values };
  const ids = ways.flatMap((way) => {
    if (found === null) return [idsOf(way)];
    const latest = `(SELECT * FROM payments WHERE ${way.join(' AND ')} ${NEWEST_FIRST} LIMIT ${SEARCHED_PAYMENTS}) AS latest`;
    return [...found.exact.map((exact) => idsOf([...way, exact])), idsOf([found.within], latest)];
  });
  return { text: pageText(['store_id = $1', `id = ANY (ARRAY(${ids.join(' UNION ALL ')}))`], most), values };
}

function pageText(conditions: readonly string[], most: string): string {
  return `SELECT ${COLUMNS} FROM payments WHERE ${conditions.join(' AND ')} ${NEWEST_FIRST} LIMIT ${most}`;
}

function commonConditions(filter: PaymentFilter, parameter: Parameter): string[] {
  const conditions = ['store_id = $1'];
  const { provider, customerPhone, paymentLinkId, createdFrom, createdTo, verifiedFrom, verifiedTo } = filter;
  for (const [key, value] of Object.entries(filter.metadata ?? {}))
    conditions.push(`metadata::jsonb ->> ${parameter(key)} = ${parameter(value)}`);
  if (provider !== undefined)
    conditions.push(`COALESCE(provider, requested_provider) = ${parameter(provider)}`);
  if (customerPhone !== undefined) conditions.push(`customer_phone = ${parameter(customerPhone)}`);
  if (paymentLinkId !== undefined) conditions.push(`payment_link_id = ${parameter(paymentLinkId)}`);
  if (createdFrom !== undefined) conditions.push(`created_at >= ${parameter(createdFrom)}`);
  if (createdTo !== undefined) conditions.push(`created_at <= ${parameter(createdTo)}`);
  if (verifiedFrom !== undefined) conditions.push(`verified_at >= ${parameter(verifiedFrom)}`);
  // Nothing is verified before it is created: the second condition ends the walk through the index by creation early.
  if (verifiedTo !== undefined)
    conditions.push(`verified_at <= ${parameter(verifiedTo)}`, `created_at <= ${parameter(verifiedTo)}`);
  return conditions;
}

/** Metadata as it is indexed: under the id of the store, so that a search in one store reads no rows of another. */
const METADATA_BY_STORE = `(('{"' || store_id::text || '":' || metadata || '}')::jsonb)`;

/** If more payments than this have the metadata, the list finds them without the index. */
export const MANY_BY_METADATA = 2_000;

/**
 * A statement for the ids of payments with such metadata, by its index; at most one more than `MANY_BY_METADATA`. A
 * value that is written like a number or a boolean may be one.
 */
export function idsByMetadata(
  storeId: string,
  metadata: Readonly<Record<string, string>>,
): { readonly text: string; readonly values: readonly unknown[] } {
  const values: unknown[] = [storeId];
  const conditions = Object.entries(metadata).map(([key, value]) => {
    const spelt = [value, ...(isJsonValue(value) ? [JSON.parse(value) as unknown] : [])];
    const contained = spelt.map((one) => {
      values.push(JSON.stringify({ [storeId]: { [key]: one } }));
      return `${METADATA_BY_STORE} @> $${values.length}::jsonb`;
    });
    return `(${contained.join(' OR ')})`;
  });
  return {
    text: `SELECT id FROM payments WHERE store_id = $1 AND metadata IS NOT NULL AND ${conditions.join(' AND ')}
      LIMIT ${MANY_BY_METADATA + 1}`,
    values,
  };
}

function isJsonValue(value: string): boolean {
  return /^(?:true|false|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?)$/.test(value);
}

/** Each is one way to have this status: its own conditions. */
function statusConditions(status: PaymentStatus | undefined, parameter: Parameter, now: Date): string[][] {
  if (status === undefined) return [[]];
  const at = () => parameter(now);
  if (status === 'expired')
    return [
      [`status = 'expired'`],
      [`status = 'pending'`, `expires_at <= ${at()}`],
      [`status = 'submitted'`, `grace_ends_at <= ${at()}`],
    ];
  const is = `status = ${parameter(status)}`;
  if (status === 'pending') return [[is, `expires_at > ${at()}`]];
  return status === 'submitted' ? [[is, `grace_ends_at > ${at()}`]] : [[is]];
}

/** Received, or submitted. */
function trxIdConditions(trxId: string | undefined, parameter: Parameter): string[][] {
  if (trxId === undefined) return [[]];
  const given = parameter(trxId);
  return [[`trx_id = ${given}`], [`submitted_trx_id = ${given}`]];
}

/**
 * The parts of a search: what an index finds however old it is, and what is looked for in the latest payments. Phones
 * are compared by their last ten digits, as everywhere (contract 4.33); what is typed never becomes a pattern.
 */
function searchConditions(
  search: string,
  parameter: Parameter,
): { readonly exact: readonly string[]; readonly within: string } {
  const trxId = parameter(search.replace(/\s+/g, '').toUpperCase());
  const words = parameter(search);
  const digits = search.replace(/\D/g, '').slice(-SEARCHED_PHONE_DIGITS);
  const exact = [`trx_id = ${trxId}`, `submitted_trx_id = ${trxId}`];
  const within = ['note', 'customer_name'].map((column) => `strpos(lower(${column}), lower(${words})) > 0`);
  if (digits.length === SEARCHED_PHONE_DIGITS) {
    const written = [search, `0${digits}`, `880${digits}`, `+880${digits}`];
    exact.push(`customer_phone = ANY (${parameter([...new Set(written)])}::text[])`);
  }
  if (digits.length >= 4) {
    const ending = parameter(digits);
    for (const column of ['customer_phone', 'payer_number'])
      within.push(`right(regexp_replace(${column}, '\\D', '', 'g'), length(${ending})) = ${ending}`);
  }
  return { exact, within: `(${within.join(' OR ')})` };
}
