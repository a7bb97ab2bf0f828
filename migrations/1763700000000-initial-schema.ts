import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The schema of the main flow. What must never happen is forbidden here, not only in code: one receipt for two payments,
 * two receipts for one payment, a receipt of another store, a verified payment without its money or an approval, a receipt
 * counted twice, two events for one verification.
 */
export class InitialSchema1763700000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of UP) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await queryRunner.query(statement);
  }
}

const ACCOUNTS = [
  `CREATE TABLE users (
     id uuid NOT NULL,
     email text NOT NULL,
     name text NOT NULL,
     role text NOT NULL,
     active boolean NOT NULL DEFAULT true,
     password_hash text NOT NULL,
     token_version integer NOT NULL DEFAULT 1,
     created_at timestamptz(3) NOT NULL,
     updated_at timestamptz(3) NOT NULL,
     CONSTRAINT users_pkey PRIMARY KEY (id),
     CONSTRAINT users_email_key UNIQUE (email),
     CONSTRAINT users_email_lower CHECK (email = lower(email)),
     CONSTRAINT users_role CHECK (role IN ('admin', 'merchant'))
   )`,
  `CREATE TABLE sessions (
     id uuid NOT NULL,
     user_id uuid NOT NULL,
     created_at timestamptz(3) NOT NULL,
     expires_at timestamptz(3) NOT NULL,
     ended_at timestamptz(3),
     CONSTRAINT sessions_pkey PRIMARY KEY (id),
     CONSTRAINT sessions_user_fkey FOREIGN KEY (user_id) REFERENCES users (id)
   )`,
  `CREATE INDEX sessions_user ON sessions (user_id)`,
  `CREATE INDEX sessions_expiry ON sessions (expires_at)`,
  `CREATE TABLE refresh_tokens (
     digest bytea NOT NULL,
     session_id uuid NOT NULL,
     created_at timestamptz(3) NOT NULL,
     spent_at timestamptz(3),
     CONSTRAINT refresh_tokens_pkey PRIMARY KEY (digest),
     CONSTRAINT refresh_tokens_session_fkey FOREIGN KEY (session_id) REFERENCES sessions (id) ON DELETE CASCADE
   )`,
  `CREATE INDEX refresh_tokens_session ON refresh_tokens (session_id)`,
  `CREATE TABLE rate_limits (
     key varchar(255) NOT NULL,
     points integer NOT NULL DEFAULT 0,
     expire bigint,
     CONSTRAINT rate_limits_pkey PRIMARY KEY (key)
   )`,
];

const AUDIT = [
  `CREATE TABLE audit_entries (
     id uuid NOT NULL,
     at timestamptz(3) NOT NULL,
     store_id uuid,
     actor_type text NOT NULL,
     actor_id uuid,
     actor_email text,
     action text NOT NULL,
     address text,
     details jsonb NOT NULL DEFAULT '{}',
     CONSTRAINT audit_entries_pkey PRIMARY KEY (id),
     CONSTRAINT audit_entries_actor_type CHECK (actor_type IN ('user', 'api_key', 'system'))
   )`,
  `CREATE INDEX audit_entries_store ON audit_entries (store_id, at, id)`,
  `CREATE FUNCTION audit_entries_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     RAISE EXCEPTION 'audit_entries is append-only' USING ERRCODE = 'insufficient_privilege';
   END $$`,
  `CREATE TRIGGER audit_entries_no_change BEFORE UPDATE OR DELETE ON audit_entries
     FOR EACH ROW EXECUTE FUNCTION audit_entries_append_only()`,
  `CREATE TRIGGER audit_entries_no_truncate BEFORE TRUNCATE ON audit_entries
     FOR EACH STATEMENT EXECUTE FUNCTION audit_entries_append_only()`,
];

const STORES = [
  `CREATE TABLE stores (
     id uuid NOT NULL,
     owner_id uuid NOT NULL,
     name text NOT NULL,
     currency text NOT NULL,
     webhook_url text,
     sign_with text NOT NULL,
     simulation_enabled boolean NOT NULL,
     wallets jsonb NOT NULL DEFAULT '[]',
     phone_last_seen_at timestamptz(3),
     archived_at timestamptz(3),
     created_at timestamptz(3) NOT NULL,
     updated_at timestamptz(3) NOT NULL,
     CONSTRAINT stores_pkey PRIMARY KEY (id),
     CONSTRAINT stores_owner_fkey FOREIGN KEY (owner_id) REFERENCES users (id),
     CONSTRAINT stores_currency CHECK (currency ~ '^[A-Z]{3}$'),
     CONSTRAINT stores_sign_with CHECK (sign_with IN ('webhook_secret', 'api_key'))
   )`,
  `CREATE INDEX stores_owner ON stores (owner_id, created_at, id)`,
  `CREATE INDEX stores_created ON stores (created_at, id)`,
  `CREATE TABLE store_secrets (
     id uuid NOT NULL,
     store_id uuid NOT NULL,
     kind text NOT NULL,
     digest bytea NOT NULL,
     ciphertext bytea NOT NULL,
     hint text NOT NULL,
     created_at timestamptz(3) NOT NULL,
     retired_at timestamptz(3),
     signs_until timestamptz(3),
     CONSTRAINT store_secrets_pkey PRIMARY KEY (id),
     CONSTRAINT store_secrets_store_fkey FOREIGN KEY (store_id) REFERENCES stores (id),
     CONSTRAINT store_secrets_digest_key UNIQUE (digest),
     CONSTRAINT store_secrets_kind CHECK (kind IN ('api_key', 'webhook_secret', 'signing_secret')),
     CONSTRAINT store_secrets_retired CHECK ((retired_at IS NULL) = (signs_until IS NULL))
   )`,
  `CREATE UNIQUE INDEX store_secrets_current ON store_secrets (store_id, kind) WHERE retired_at IS NULL`,
  `CREATE INDEX store_secrets_store ON store_secrets (store_id, kind)`,
];

const PAYMENTS = [
  `CREATE TABLE receipts (
     id uuid NOT NULL,
     store_id uuid NOT NULL,
     status text NOT NULL,
     source text NOT NULL,
     app text NOT NULL,
     provider text NOT NULL,
     kind text NOT NULL,
     trx_id text,
     last4digit text,
     amount_minor bigint NOT NULL,
     currency text NOT NULL,
     counterparty text,
     balance_minor bigint,
     received_at timestamptz(3) NOT NULL,
     arrived_at timestamptz(3) NOT NULL,
     simulated boolean NOT NULL DEFAULT false,
     flags jsonb NOT NULL DEFAULT '[]',
     raw text NOT NULL,
     digest bytea,
     CONSTRAINT receipts_pkey PRIMARY KEY (id),
     CONSTRAINT receipts_store_fkey FOREIGN KEY (store_id) REFERENCES stores (id),
     CONSTRAINT receipts_id_store_key UNIQUE (id, store_id),
     CONSTRAINT receipts_status CHECK (status IN ('unmatched', 'matched', 'review', 'ignored')),
     CONSTRAINT receipts_source CHECK (source IN ('app', 'sms', 'simulate')),
     CONSTRAINT receipts_amount CHECK (amount_minor BETWEEN 1 AND 9999999999),
     CONSTRAINT receipts_last4digit CHECK (last4digit ~ '^[0-9]{4}$'),
     CONSTRAINT receipts_key CHECK (status = 'ignored' OR trx_id IS NOT NULL OR (last4digit IS NOT NULL AND digest IS NOT NULL))
   )`,
  `CREATE UNIQUE INDEX receipts_once_by_trx ON receipts (store_id, provider, trx_id)
     WHERE trx_id IS NOT NULL AND status <> 'ignored'`,
  `CREATE UNIQUE INDEX receipts_once_by_digest ON receipts (store_id, digest)
     WHERE trx_id IS NULL AND status <> 'ignored'`,
  `CREATE INDEX receipts_trx ON receipts (store_id, trx_id)`,
  `CREATE INDEX receipts_unclaimed_last4 ON receipts (store_id, last4digit, amount_minor, received_at)
     WHERE last4digit IS NOT NULL AND status IN ('unmatched', 'review')`,
  `CREATE INDEX receipts_created ON receipts (store_id, arrived_at, id)`,
  `CREATE INDEX receipts_by_status ON receipts (store_id, status, arrived_at, id)`,
  `CREATE TABLE payments (
     id uuid NOT NULL,
     store_id uuid NOT NULL,
     status text NOT NULL,
     review_reason text,
     amount_minor bigint NOT NULL,
     currency text NOT NULL,
     requested_provider text,
     customer_name text,
     customer_phone text,
     note text,
     products text,
     metadata text,
     redirect_url text,
     cancel_url text,
     submitted_trx_id text,
     submitted_last4 text,
     submitted_provider text,
     submitted_at timestamptz(3),
     grace_ends_at timestamptz(3),
     receipt_id uuid,
     provider text,
     trx_id text,
     payer_number text,
     received_amount_minor bigint,
     received_currency text,
     simulated boolean NOT NULL DEFAULT false,
     approved_at timestamptz(3),
     created_at timestamptz(3) NOT NULL,
     expires_at timestamptz(3) NOT NULL,
     verified_at timestamptz(3),
     cancelled_at timestamptz(3),
     CONSTRAINT payments_pkey PRIMARY KEY (id),
     CONSTRAINT payments_store_fkey FOREIGN KEY (store_id) REFERENCES stores (id),
     CONSTRAINT payments_receipt_fkey FOREIGN KEY (receipt_id, store_id) REFERENCES receipts (id, store_id),
     CONSTRAINT payments_receipt_key UNIQUE (receipt_id),
     CONSTRAINT payments_status CHECK (
       status IN ('pending', 'submitted', 'verified', 'review', 'expired', 'cancelled')),
     CONSTRAINT payments_review_reason CHECK (
       review_reason IN ('underpaid', 'overpaid', 'currency_mismatch', 'late', 'ambiguous', 'wrong_wallet',
                         'trx_id_used', 'flagged')),
     CONSTRAINT payments_review CHECK (status <> 'review' OR review_reason IS NOT NULL),
     CONSTRAINT payments_amount CHECK (amount_minor BETWEEN 1 AND 9999999999),
     CONSTRAINT payments_one_submission CHECK (submitted_trx_id IS NULL OR submitted_last4 IS NULL),
     CONSTRAINT payments_submitted CHECK (
       (submitted_at IS NULL) = (submitted_trx_id IS NULL AND submitted_last4 IS NULL)),
     CONSTRAINT payments_submitted_status CHECK (status <> 'submitted' OR submitted_at IS NOT NULL),
     CONSTRAINT payments_verified_at CHECK ((status = 'verified') = (verified_at IS NOT NULL)),
     CONSTRAINT payments_cancelled_at CHECK ((status = 'cancelled') = (cancelled_at IS NOT NULL)),
     CONSTRAINT payments_verified_money CHECK (
       status <> 'verified' OR approved_at IS NOT NULL
       OR (receipt_id IS NOT NULL AND received_amount_minor = amount_minor AND received_currency = currency)),
     CONSTRAINT payments_receipt_state CHECK (receipt_id IS NULL OR status IN ('verified', 'review')),
     CONSTRAINT payments_receipt_amount CHECK (
       receipt_id IS NULL OR (received_amount_minor IS NOT NULL AND received_currency IS NOT NULL AND provider IS NOT NULL))
   )`,
  `CREATE INDEX payments_created ON payments (store_id, created_at, id)`,
  `CREATE INDEX payments_by_status ON payments (store_id, status, created_at, id)`,
  `CREATE INDEX payments_submitted_trx ON payments (store_id, submitted_trx_id) WHERE submitted_trx_id IS NOT NULL`,
  `CREATE INDEX payments_trx ON payments (store_id, trx_id) WHERE trx_id IS NOT NULL`,
  `CREATE INDEX payments_submitted_last4 ON payments (store_id, submitted_last4, amount_minor)
     WHERE submitted_last4 IS NOT NULL`,
  `CREATE INDEX payments_expiry ON payments (expires_at) WHERE status = 'pending'`,
  `CREATE INDEX payments_grace ON payments (grace_ends_at) WHERE status = 'submitted'`,
  `CREATE TABLE submission_tries (
     payment_id uuid NOT NULL,
     kind text NOT NULL,
     value text NOT NULL,
     at timestamptz(3) NOT NULL,
     CONSTRAINT submission_tries_pkey PRIMARY KEY (payment_id, kind, value),
     CONSTRAINT submission_tries_payment_fkey FOREIGN KEY (payment_id) REFERENCES payments (id),
     CONSTRAINT submission_tries_kind CHECK (kind IN ('trx_id', 'last4digit'))
   )`,
  `CREATE TABLE idempotency_keys (
     store_id uuid NOT NULL,
     key text NOT NULL,
     body_hash bytea NOT NULL,
     status integer NOT NULL,
     answer text NOT NULL,
     created_at timestamptz(3) NOT NULL,
     CONSTRAINT idempotency_keys_pkey PRIMARY KEY (store_id, key),
     CONSTRAINT idempotency_keys_store_fkey FOREIGN KEY (store_id) REFERENCES stores (id)
   )`,
  `CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at)`,
];

const OUTBOX = [
  `CREATE TABLE events (
     id uuid NOT NULL,
     store_id uuid NOT NULL,
     payment_id uuid NOT NULL,
     event text NOT NULL,
     body text NOT NULL,
     created_at timestamptz(3) NOT NULL,
     position bigint,
     CONSTRAINT events_pkey PRIMARY KEY (id),
     CONSTRAINT events_store_fkey FOREIGN KEY (store_id) REFERENCES stores (id),
     CONSTRAINT events_payment_fkey FOREIGN KEY (payment_id) REFERENCES payments (id),
     CONSTRAINT events_once UNIQUE (payment_id, event)
   )`,
  `CREATE UNIQUE INDEX events_position ON events (store_id, position) WHERE position IS NOT NULL`,
  `CREATE INDEX events_unplaced ON events (store_id, created_at, id) WHERE position IS NULL`,
  `CREATE TABLE deliveries (
     id uuid NOT NULL,
     event_id uuid NOT NULL,
     store_id uuid NOT NULL,
     payment_id uuid NOT NULL,
     status text NOT NULL,
     due_at timestamptz(3),
     lease_token uuid,
     round_failures integer NOT NULL DEFAULT 0,
     attempt_count integer NOT NULL DEFAULT 0,
     created_at timestamptz(3) NOT NULL,
     delivered_at timestamptz(3),
     CONSTRAINT deliveries_pkey PRIMARY KEY (id),
     CONSTRAINT deliveries_event_fkey FOREIGN KEY (event_id) REFERENCES events (id),
     CONSTRAINT deliveries_event_key UNIQUE (event_id),
     CONSTRAINT deliveries_store_fkey FOREIGN KEY (store_id) REFERENCES stores (id),
     CONSTRAINT deliveries_status CHECK (status IN ('pending', 'delivered', 'failed', 'held')),
     CONSTRAINT deliveries_pending_due CHECK ((status = 'pending') = (due_at IS NOT NULL))
   )`,
  `CREATE INDEX deliveries_due ON deliveries (due_at) WHERE status = 'pending'`,
  `CREATE INDEX deliveries_due_store ON deliveries (store_id, due_at) WHERE status = 'pending'`,
  `CREATE INDEX deliveries_held ON deliveries (store_id) WHERE status = 'held'`,
  `CREATE INDEX deliveries_created ON deliveries (store_id, created_at, id)`,
  `CREATE INDEX deliveries_failed ON deliveries (store_id, created_at, id) WHERE status = 'failed'`,
  `CREATE INDEX deliveries_payment ON deliveries (payment_id)`,
  `CREATE TABLE delivery_attempts (
     delivery_id uuid NOT NULL,
     number integer NOT NULL,
     at timestamptz(3) NOT NULL,
     duration_ms integer NOT NULL,
     response_status integer,
     error text,
     response_excerpt text,
     CONSTRAINT delivery_attempts_pkey PRIMARY KEY (delivery_id, number),
     CONSTRAINT delivery_attempts_delivery_fkey FOREIGN KEY (delivery_id) REFERENCES deliveries (id)
   )`,
];

const UP = [...ACCOUNTS, ...AUDIT, ...STORES, ...PAYMENTS, ...OUTBOX];

const DOWN = [
  'DROP TABLE delivery_attempts, deliveries, events',
  'DROP TABLE idempotency_keys, submission_tries, payments, receipts',
  'DROP TABLE store_secrets, stores',
  'DROP TABLE audit_entries',
  'DROP FUNCTION audit_entries_append_only()',
  'DROP TABLE rate_limits, refresh_tokens, sessions, users',
];
