// Rows of a business that has run for a year, for what must not grow with them: `npm run bench -- --rows`, and the
// plans.
//
// Everything follows from the number of a row, so that two sizes differ in nothing but that: ten turns of stores, 70
// % verified, 26 % expired, 4 % cancelled, fifty in review and forty open whatever the size, one in twelve by the
// digits of a QR receipt.

const YEAR_MS = 365 * 86_400_000;
/** Rows that one statement writes. */
const CHUNK = 100_000;
/** What hangs on payments is made for the newest only, up to so many. */
const MOST_OF_THE_REST = 1_000_000;
const OPEN = 40;
const IN_REVIEW = 50;

/**
 * The rows from $3 to $4 of $5, with what all tables take from them. $1 are the stores in turn, $2 is now; the open
 * ones are of the last minute.
 */
const NUMBERED = `(
  SELECT n, h, store_id, link_id, at, status, amount_minor, by_digits, provider,
    status IN ('verified', 'review') AS has_receipt
  FROM (
    SELECT n, h, at, 10000 + n % 5000 AS amount_minor, h % 97 < 8 AS by_digits,
      ($1::uuid[])[1 + h % 10] AS store_id, CASE WHEN h % 20 = 1 THEN ($6::uuid[])[1 + h % 10] END AS link_id,
      CASE WHEN n > $5 - ${OPEN / 2} THEN 'pending' WHEN n > $5 - ${OPEN} THEN 'submitted'
        WHEN n % ($5 / ${IN_REVIEW}) = 1 THEN 'review'
        WHEN h / 10 % 100 < 70 THEN 'verified' WHEN h / 10 % 100 < 96 THEN 'expired' ELSE 'cancelled' END AS status,
      CASE WHEN h / 1000 % 100 < 60 THEN 'bkash' WHEN h / 1000 % 100 < 85 THEN 'nagad'
        WHEN h / 1000 % 100 < 99 THEN 'rocket' ELSE 'upay' END AS provider
    FROM (
      SELECT n, n * 7919 % 1000003 AS h,
        CASE WHEN n > $5 - ${OPEN} THEN $2::timestamptz - ($5 - n) * interval '1 second'
          ELSE $2::timestamptz - interval '2 hours' - ($5 - n)::double precision / $5 * ${YEAR_MS} * interval '1 millisecond' END AS at
      FROM generate_series($3::bigint, $4::bigint) AS n
    ) AS timed
  ) AS told
) AS row`;

/** A UUID version 7 of the row's time, ending as its store's, as the service makes them. */
const idOf = (
  kind,
) => `(lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || left(md5('${kind}' || n), 3)
  || '8' || substr(md5('${kind}' || n), 4, 11) || right(store_id::text, 4))::uuid`;
const TRX = `'BULK' || lpad(n::text, 9, '0')`;
const DIGITS = `lpad((n % 10000)::text, 4, '0')`;
const PHONE = `'017' || lpad((n % ($5 / 5))::text, 8, '0')`;
const UNMATCHED = `status = 'expired' AND h % 50 = 0`;

const RECEIPTS = `INSERT INTO receipts (id, store_id, status, source, app, provider, kind, trx_id, last4digit, amount_minor, currency,
    counterparty, received_at, arrived_at, money_from, money_until, digest, raw)
  SELECT ${idOf('receipt')}, store_id,
    CASE status WHEN 'verified' THEN 'matched' WHEN 'review' THEN 'review' WHEN 'expired' THEN 'unmatched' ELSE 'ignored' END,
    'app', 'phone', provider, CASE WHEN status = 'cancelled' THEN 'sent' ELSE 'received' END,
    CASE WHEN NOT by_digits THEN ${TRX} END, CASE WHEN by_digits THEN ${DIGITS} END,
    CASE WHEN status = 'review' THEN amount_minor - 100 ELSE amount_minor END, 'BDT', ${PHONE},
    at + interval '2 minutes', at + interval '2 minutes', at + interval '2 minutes', at + interval '2 minutes',
    sha256(n::text::bytea), '{"app":"phone","note":"' || repeat('x', 120) || '"}'
  FROM ${NUMBERED} WHERE has_receipt OR (${UNMATCHED}) OR status = 'cancelled'`;

const PAYMENTS = `INSERT INTO payments (id, store_id, status, review_reason, amount_minor, currency, pay_amount_minor,
    customer_name, customer_phone, note, payment_link_id, submitted_trx_id, submitted_last4, submitted_at, grace_ends_at,
    receipt_id, provider, trx_id, payer_number, received_amount_minor, received_currency, refunded_amount_minor,
    created_at, expires_at, verified_at, cancelled_at, ended_at)
  SELECT ${idOf('payment')}, store_id, status, CASE WHEN status = 'review' THEN 'underpaid' END, amount_minor, 'BDT', amount_minor,
    'Customer ' || n % 977, ${PHONE}, 'Order ' || n, link_id,
    CASE WHEN (has_receipt OR status = 'submitted') AND NOT by_digits THEN ${TRX} END,
    CASE WHEN (has_receipt OR status = 'submitted') AND by_digits THEN ${DIGITS} END,
    CASE WHEN has_receipt OR status = 'submitted' THEN at + interval '1 minute' END,
    CASE WHEN has_receipt OR status = 'submitted' THEN at + interval '1 day' END,
    CASE WHEN has_receipt THEN ${idOf('receipt')} END, CASE WHEN has_receipt THEN provider END,
    CASE WHEN has_receipt AND NOT by_digits THEN ${TRX} END, CASE WHEN has_receipt THEN ${PHONE} END,
    CASE status WHEN 'review' THEN amount_minor - 100 WHEN 'verified' THEN amount_minor END, CASE WHEN has_receipt THEN 'BDT' END,
    CASE WHEN status = 'verified' AND h % 20 = 0 THEN 100 ELSE 0 END,
    at, at + CASE WHEN status IN ('pending', 'submitted') THEN interval '1 day' ELSE interval '30 minutes' END,
    CASE WHEN status = 'verified' THEN at + interval '2 minutes' END,
    CASE WHEN status = 'cancelled' THEN at + interval '2 minutes' END,
    CASE WHEN status IN ('verified', 'cancelled') THEN at + interval '2 minutes'
      WHEN status = 'expired' THEN at + interval '30 minutes' END
  FROM ${NUMBERED}`;

const TRIES = `INSERT INTO submissions (payment_id, store_id, number, kind, value, currency, amount_minor, standing, guessable, at)
  SELECT ${idOf('payment')}, store_id, 1, CASE WHEN by_digits THEN 'last4digit' ELSE 'trx_id' END,
    CASE WHEN by_digits THEN ${DIGITS} ELSE ${TRX} END, 'BDT', amount_minor, 'counted', by_digits, at + interval '1 minute'
  FROM ${NUMBERED} WHERE has_receipt OR status = 'submitted'`;

const REFUNDS = `INSERT INTO refunds
    (id, store_id, payment_id, amount_minor, currency, provider, trx_id, status, simulated, created_at)
  SELECT ${idOf('refund')}, store_id, ${idOf('payment')}, 100, 'BDT', provider, 'BACK' || lpad(n::text, 9, '0'), 'recorded',
    false, at + interval '1 hour'
  FROM ${NUMBERED} WHERE status = 'verified' AND h % 20 = 0`;

const MESSAGES = `INSERT INTO messages (id, store_id, status, reason, provider, sender, text, app, received_at, arrived_at, receipt_id, raw)
  SELECT ${idOf('message')}, store_id, CASE WHEN has_receipt THEN 'receipt' WHEN h % 1000 = 3 THEN 'unread' ELSE 'ignored' END,
    CASE WHEN has_receipt THEN NULL ELSE 'promotion' END, provider, provider, repeat('You have received Tk ', 5), 'phone',
    at + interval '2 minutes', at + interval '2 minutes', CASE WHEN has_receipt THEN ${idOf('receipt')} END, '{}'
  FROM ${NUMBERED} WHERE has_receipt OR h % 10 = 3`;

const EVENTS = `INSERT INTO events (id, store_id, payment_id, subject_id, event, body, created_at, position)
  SELECT ${idOf('event')}, store_id, ${idOf('payment')}, ${idOf('payment')}, 'payment.verified',
    '{"event":"payment.verified","note":"' || repeat('x', 500) || '"}', at + interval '2 minutes', n
  FROM ${NUMBERED} WHERE status = 'verified'`;

const DELIVERIES = `INSERT INTO deliveries (id, store_id, payment_id, status, attempt_count, created_at, delivered_at)
  SELECT ${idOf('event')}, store_id, ${idOf('payment')},
    CASE WHEN h % 1000 = 5 THEN 'failed' ELSE 'delivered' END, 1, at + interval '2 minutes',
    CASE WHEN h % 1000 <> 5 THEN at + interval '2 minutes' END
  FROM ${NUMBERED} WHERE status = 'verified'`;

const ATTEMPTS = `INSERT INTO delivery_attempts (delivery_id, store_id, number, at, duration_ms, response_status)
  SELECT ${idOf('event')}, store_id, 1, at + interval '2 minutes', 5, CASE WHEN h % 1000 = 5 THEN 500 ELSE 200 END
  FROM ${NUMBERED} WHERE status = 'verified'`;

/** In this order, since the later ones point at the earlier ones. */
const TABLES = [
  { table: 'receipts', insert: RECEIPTS, most: Infinity },
  { table: 'payments', insert: PAYMENTS, most: Infinity },
  { table: 'submissions', insert: TRIES, most: MOST_OF_THE_REST },
  { table: 'refunds', insert: REFUNDS, most: MOST_OF_THE_REST },
  { table: 'messages', insert: MESSAGES, most: MOST_OF_THE_REST },
  { table: 'events', insert: EVENTS, most: MOST_OF_THE_REST },
  { table: 'deliveries', insert: DELIVERIES, most: MOST_OF_THE_REST },
  { table: 'delivery_attempts', insert: ATTEMPTS, most: MOST_OF_THE_REST },
];

/** The tables that it fills. */
export const LARGE_TABLES = TABLES.map(({ table }) => table);

/** Six in ten payments are of the first store, two of the second, one each of the third and fourth. */
const inTurn = ([first, second, third, fourth]) => [
  ...[first, first, first, first, first, first],
  ...[second, second, third, fourth],
];

/** Fills one of `LARGE_TABLES`. */
export async function loadTable(
  query,
  name,
  { stores, links, rows, now = new Date(), progress = () => undefined },
) {
  const { insert, most } = TABLES.find(({ table }) => table === name);
  const values = [inTurn(stores), now];
  for (let from = Math.max(1, rows - most + 1); from <= rows; from += CHUNK) {
    const to = Math.min(rows, from + CHUNK - 1);
    await query(insert, [...values, from, to, rows, inTurn(links)]);
    progress(name, to / rows);
  }
}

/**
 * Payments of four stores over a year, and all that belongs to them. `query` asks the database; `links` are payment
 * links of the stores or null; `progress` hears of each table, with the share that is done. At least a thousand rows.
 */
export async function loadManyRows(query, options) {
  const timed = { now: new Date(), ...options };
  for (const name of LARGE_TABLES) await loadTable(query, name, timed);
}
