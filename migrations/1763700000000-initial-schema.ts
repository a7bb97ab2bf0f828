import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The schema. What must never happen is forbidden here, not only in code: one receipt for two payments, two receipts
 * for one payment, a receipt of another store, a verified payment without its money or an approval, a receipt counted
 * twice, two events for one verification, one wallet in two live stores of an owner, two open payments with one
 * reserved amount, more refunded than was received.
 *
 * Every key of what belongs to a store holds `store_id`, after the id, so that the tables can be sharded by it
 * (`test/contract/shardable.sql`); stores, their secrets, wallets, members and payment links would then be on every
 * node.
 *
 * Where other indexes begin with the store and end with the id, the primary key is made last: while a table is new
 * PostgreSQL finds them equally good for a row by its id and store, takes the newest, and keeps that plan for foreign
 * keys and statements until the table is analysed. Any other is read through all rows of the store.
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
     must_change_password boolean NOT NULL DEFAULT false,
     second_factor_secret bytea,
     second_factor_confirmed_at timestamptz(3),
     second_factor_step bigint,
     second_factor_removed_at timestamptz(3),
     created_at timestamptz(3) NOT NULL,
     updated_at timestamptz(3) NOT NULL,
     CONSTRAINT users_pkey PRIMARY KEY (id),
     CONSTRAINT users_email_key UNIQUE (email),
     CONSTRAINT users_email_lower CHECK (email = lower(email)),
     CONSTRAINT users_role CHECK (role IN ('admin', 'merchant'))
   )`,
  `CREATE TABLE recovery_codes (
     user_id uuid NOT NULL,
     digest bytea NOT NULL,
     used_at timestamptz(3),
     CONSTRAINT recovery_codes_pkey PRIMARY KEY (user_id, digest),
     CONSTRAINT recovery_codes_user_fkey FOREIGN KEY (user_id) REFERENCES users (id)
   )`,
  `CREATE TABLE sign_in_addresses (
     user_id uuid NOT NULL,
     address text NOT NULL,
     at timestamptz(3) NOT NULL,
     CONSTRAINT sign_in_addresses_pkey PRIMARY KEY (user_id, address),
     CONSTRAINT sign_in_addresses_user_fkey FOREIGN KEY (user_id) REFERENCES users (id)
   )`,
  `CREATE TABLE sso_accounts (
     issuer text NOT NULL,
     subject text NOT NULL,
     user_id uuid NOT NULL,
     told_at timestamptz(3) NOT NULL,
     CONSTRAINT sso_accounts_pkey PRIMARY KEY (issuer, subject),
     CONSTRAINT sso_accounts_user_key UNIQUE (user_id),
     CONSTRAINT sso_accounts_user_fkey FOREIGN KEY (user_id) REFERENCES users (id)
   )`,
  `CREATE TABLE sessions (
     id uuid NOT NULL,
     user_id uuid NOT NULL,
     kind text NOT NULL DEFAULT 'api',
     token_digest bytea,
     address text,
     user_agent text,
     created_at timestamptz(3) NOT NULL,
     last_used_at timestamptz(3) NOT NULL,
     expires_at timestamptz(3) NOT NULL,
     ended_at timestamptz(3),
     CONSTRAINT sessions_pkey PRIMARY KEY (id),
     CONSTRAINT sessions_user_fkey FOREIGN KEY (user_id) REFERENCES users (id),
     CONSTRAINT sessions_token_key UNIQUE (token_digest),
     CONSTRAINT sessions_kind CHECK (kind IN ('api', 'dashboard'))
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
     key text NOT NULL,
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
     chain uuid NOT NULL,
     position bigint NOT NULL,
     previous_hash bytea,
     hash bytea NOT NULL,
     CONSTRAINT audit_entries_pkey PRIMARY KEY (id),
     CONSTRAINT audit_entries_chain_key UNIQUE (chain, position),
     CONSTRAINT audit_entries_chain CHECK (chain = coalesce(store_id, '00000000-0000-0000-0000-000000000000')),
     CONSTRAINT audit_entries_first CHECK (position >= 1 AND (position = 1) = (previous_hash IS NULL)),
     CONSTRAINT audit_entries_actor_type CHECK (actor_type IN ('user', 'api_key', 'system'))
   )`,
  `CREATE INDEX audit_entries_time ON audit_entries (chain, at, id)`,
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
     webhook_paused_at timestamptz(3),
     webhook_pause_reason text,
     sign_with text NOT NULL,
     simulation_enabled boolean NOT NULL,
     receipt_checks text NOT NULL DEFAULT 'flag',
     receipt_lead_ms bigint NOT NULL DEFAULT 3600000,
     unique_amounts boolean NOT NULL DEFAULT false,
     notify_email text,
     owner_active boolean NOT NULL DEFAULT true,
     archived_at timestamptz(3),
     created_at timestamptz(3) NOT NULL,
     updated_at timestamptz(3) NOT NULL,
     CONSTRAINT stores_pkey PRIMARY KEY (id),
     CONSTRAINT stores_owner_fkey FOREIGN KEY (owner_id) REFERENCES users (id),
     CONSTRAINT stores_currency CHECK (currency ~ '^[A-Z]{3}$'),
     CONSTRAINT stores_sign_with CHECK (sign_with IN ('webhook_secret', 'api_key')),
     CONSTRAINT stores_receipt_checks CHECK (receipt_checks IN ('off', 'flag', 'review')),
     CONSTRAINT stores_receipt_lead CHECK (receipt_lead_ms >= 0),
     CONSTRAINT stores_webhook_pause_reason CHECK (webhook_pause_reason IN ('gone', 'failing')),
     CONSTRAINT stores_webhook_pause CHECK ((webhook_paused_at IS NULL) = (webhook_pause_reason IS NULL))
   )`,
  `CREATE INDEX stores_owner ON stores (owner_id, created_at, id)`,
  `CREATE INDEX stores_created ON stores (created_at, id)`,
  // The last 16 bits, which a payment's id shares with its store's: from the one to the other in one probe.
  `CREATE INDEX stores_mark ON stores ("right"(id::text, 4))`,
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
  // One row a store, in the store's own shard: what changes often, and the place where its advisory locks are taken.
  `CREATE TABLE store_states (
     store_id uuid NOT NULL,
     phone_last_seen_at timestamptz(3),
     phone_app text,
     phone_battery integer,
     phone_pending integer,
     phone_has_backlog boolean NOT NULL DEFAULT false,
     phone_clock_offset_ms bigint,
     webhook_failing_since timestamptz(3),
     waiting_since timestamptz(3),
     CONSTRAINT store_states_pkey PRIMARY KEY (store_id),
     CONSTRAINT store_states_store_fkey FOREIGN KEY (store_id) REFERENCES stores (id)
   )`,
  `CREATE TABLE phone_signs (
     store_id uuid NOT NULL,
     slot bigint NOT NULL,
     at timestamptz(3) NOT NULL,
     CONSTRAINT phone_signs_pkey PRIMARY KEY (store_id, slot),
     CONSTRAINT phone_signs_store_fkey FOREIGN KEY (store_id) REFERENCES stores (id)
   )`,
  `CREATE INDEX phone_signs_at ON phone_signs (at)`,
  `CREATE INDEX store_states_failing ON store_states (webhook_failing_since) WHERE webhook_failing_since IS NOT NULL`,
  `CREATE INDEX store_states_waiting ON store_states (waiting_since) WHERE waiting_since IS NOT NULL`,
  `CREATE TABLE store_wallets (
     store_id uuid NOT NULL,
     position integer NOT NULL,
     owner_id uuid NOT NULL,
     live boolean NOT NULL DEFAULT true,
     provider text NOT NULL,
     number text,
     number_key text,
     account_type text NOT NULL,
     qr_payload text,
     enabled boolean NOT NULL,
     CONSTRAINT store_wallets_pkey PRIMARY KEY (store_id, position),
     CONSTRAINT store_wallets_store_fkey FOREIGN KEY (store_id) REFERENCES stores (id),
     CONSTRAINT store_wallets_account_type CHECK (account_type IN ('personal', 'merchant', 'agent'))
   )`,
  `CREATE UNIQUE INDEX store_wallets_in_use ON store_wallets (owner_id, provider, number_key)
     WHERE live AND number_key IS NOT NULL`,
  // No foreign key on the person: people stay on the coordinator.
  `CREATE TABLE store_members (
     store_id uuid NOT NULL,
     user_id uuid NOT NULL,
     role text NOT NULL,
     created_at timestamptz(3) NOT NULL,
     CONSTRAINT store_members_pkey PRIMARY KEY (store_id, user_id),
     CONSTRAINT store_members_store_fkey FOREIGN KEY (store_id) REFERENCES stores (id),
     CONSTRAINT store_members_role CHECK (role IN ('viewer', 'reviewer', 'manager'))
   )`,
  `CREATE INDEX store_members_user ON store_members (user_id)`,
  // One phone that feeds two stores of an owner must not pay twice.
  `CREATE TABLE owner_receipts (
     owner_id uuid NOT NULL,
     provider text NOT NULL,
     trx_id text NOT NULL,
     kept_by uuid NOT NULL,
     created_at timestamptz(3) NOT NULL,
     CONSTRAINT owner_receipts_pkey PRIMARY KEY (owner_id, provider, trx_id)
   )`,
  `CREATE TABLE payment_links (
     id uuid NOT NULL,
     store_id uuid NOT NULL,
     slug text NOT NULL,
     title text NOT NULL,
     amount_minor bigint,
     min_amount_minor bigint,
     max_amount_minor bigint,
     note text,
     products text,
     metadata text,
     provider text,
     redirect_url text,
     max_payments integer,
     expires_at timestamptz(3),
     ask_name boolean NOT NULL,
     ask_phone boolean NOT NULL,
     active boolean NOT NULL DEFAULT true,
     created_at timestamptz(3) NOT NULL,
     updated_at timestamptz(3) NOT NULL,
     CONSTRAINT payment_links_pkey PRIMARY KEY (id),
     CONSTRAINT payment_links_store_fkey FOREIGN KEY (store_id) REFERENCES stores (id),
     CONSTRAINT payment_links_slug_key UNIQUE (slug)
   )`,
  `CREATE INDEX payment_links_created ON payment_links (store_id, created_at, id)`,
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
     phone_line text NOT NULL DEFAULT '',
     received_at timestamptz(3) NOT NULL,
     arrived_at timestamptz(3) NOT NULL,
     money_from timestamptz(3) NOT NULL,
     money_until timestamptz(3) NOT NULL,
     simulated boolean NOT NULL DEFAULT false,
     flags jsonb NOT NULL DEFAULT '[]',
     raw text NOT NULL,
     digest bytea,
     message_id uuid,
     voided_at timestamptz(3),
     void_reason text,
     redacted_at timestamptz(3),
     CONSTRAINT receipts_store_fkey FOREIGN KEY (store_id) REFERENCES stores (id),
     CONSTRAINT receipts_status CHECK (status IN ('unmatched', 'matched', 'review', 'void', 'ignored')),
     CONSTRAINT receipts_source CHECK (source IN ('app', 'sms', 'simulate')),
     CONSTRAINT receipts_amount CHECK (amount_minor BETWEEN 1 AND 9999999999),
     CONSTRAINT receipts_last4digit CHECK (last4digit ~ '^[0-9]{4}$'),
     CONSTRAINT receipts_key CHECK (status = 'ignored' OR trx_id IS NOT NULL OR (last4digit IS NOT NULL AND digest IS NOT NULL)),
     CONSTRAINT receipts_money CHECK (money_from <= money_until),
     CONSTRAINT receipts_void CHECK ((status = 'void') = (voided_at IS NOT NULL))
   )`,
  `CREATE UNIQUE INDEX receipts_once_by_trx ON receipts (store_id, provider, trx_id, simulated)
     WHERE trx_id IS NOT NULL AND status <> 'ignored'`,
  `CREATE UNIQUE INDEX receipts_once_by_digest ON receipts (store_id, digest, simulated)
     WHERE trx_id IS NULL AND status <> 'ignored'`,
  `CREATE INDEX receipts_trx ON receipts (store_id, trx_id)`,
  `CREATE INDEX receipts_last4 ON receipts (store_id, last4digit, amount_minor, money_from)
     WHERE last4digit IS NOT NULL AND status <> 'ignored'`,
  `CREATE INDEX receipts_created ON receipts (store_id, arrived_at, id)`,
  `CREATE INDEX receipts_by_status ON receipts (store_id, status, arrived_at, id)`,
  // A wallet's day, for what its own statement does not say.
  `CREATE INDEX receipts_of_wallet ON receipts (store_id, provider, received_at, id)
     WHERE trx_id IS NOT NULL AND status <> 'ignored' AND NOT simulated`,
  // The balance that a wallet told last, for the check of the next one.
  `CREATE INDEX receipts_balance ON receipts (store_id, provider, app, phone_line, arrived_at, id)
     WHERE balance_minor IS NOT NULL AND NOT simulated`,
  `CREATE INDEX receipts_unmatched ON receipts (store_id, received_at) WHERE status = 'unmatched'`,
  `ALTER TABLE receipts ADD CONSTRAINT receipts_pkey PRIMARY KEY (id, store_id)`,
  `CREATE TABLE payments (
     id uuid NOT NULL,
     store_id uuid NOT NULL,
     status text NOT NULL,
     review_reason text,
     amount_minor bigint NOT NULL,
     currency text NOT NULL,
     pay_amount_minor bigint NOT NULL,
     pay_amount_reserved boolean NOT NULL DEFAULT false,
     requested_provider text,
     customer_name text,
     customer_phone text,
     note text,
     products text,
     metadata text,
     redirect_url text,
     cancel_url text,
     payment_link_id uuid,
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
     refunded_amount_minor bigint NOT NULL DEFAULT 0,
     simulated boolean NOT NULL DEFAULT false,
     approved_at timestamptz(3),
     created_at timestamptz(3) NOT NULL,
     expires_at timestamptz(3) NOT NULL,
     verified_at timestamptz(3),
     cancelled_at timestamptz(3),
     ended_at timestamptz(3),
     redacted_at timestamptz(3),
     CONSTRAINT payments_store_fkey FOREIGN KEY (store_id) REFERENCES stores (id),
     CONSTRAINT payments_receipt_fkey FOREIGN KEY (receipt_id, store_id) REFERENCES receipts (id, store_id),
     CONSTRAINT payments_link_fkey FOREIGN KEY (payment_link_id) REFERENCES payment_links (id),
     CONSTRAINT payments_status CHECK (
       status IN ('pending', 'submitted', 'verified', 'review', 'expired', 'cancelled')),
     CONSTRAINT payments_review_reason CHECK (
       review_reason IN ('underpaid', 'overpaid', 'currency_mismatch', 'late', 'old_money', 'ambiguous', 'wrong_wallet',
                         'trx_id_used', 'flagged')),
     CONSTRAINT payments_review CHECK (status <> 'review' OR review_reason IS NOT NULL),
     CONSTRAINT payments_amount CHECK (amount_minor BETWEEN 1 AND 9999999999),
     CONSTRAINT payments_pay_amount CHECK (pay_amount_minor BETWEEN amount_minor AND amount_minor + 99),
     CONSTRAINT payments_one_submission CHECK (submitted_trx_id IS NULL OR submitted_last4 IS NULL),
     CONSTRAINT payments_submitted CHECK (
       (submitted_at IS NULL) = (submitted_trx_id IS NULL AND submitted_last4 IS NULL)),
     CONSTRAINT payments_submitted_status CHECK (status <> 'submitted' OR submitted_at IS NOT NULL),
     CONSTRAINT payments_verified_at CHECK ((status = 'verified') = (verified_at IS NOT NULL)),
     CONSTRAINT payments_cancelled_at CHECK ((status = 'cancelled') = (cancelled_at IS NOT NULL)),
     CONSTRAINT payments_ended_at CHECK ((status IN ('verified', 'cancelled', 'expired')) = (ended_at IS NOT NULL)),
     CONSTRAINT payments_verified_money CHECK (
       status <> 'verified' OR approved_at IS NOT NULL
       OR (receipt_id IS NOT NULL AND received_amount_minor = pay_amount_minor AND received_currency = currency)),
     CONSTRAINT payments_refunded CHECK (
       refunded_amount_minor BETWEEN 0 AND COALESCE(received_amount_minor, pay_amount_minor)),
     CONSTRAINT payments_receipt_state CHECK (receipt_id IS NULL OR status IN ('verified', 'review')),
     CONSTRAINT payments_receipt_amount CHECK (
       receipt_id IS NULL OR (received_amount_minor IS NOT NULL AND received_currency IS NOT NULL AND provider IS NOT NULL))
   )`,
  `CREATE INDEX payments_created ON payments (store_id, created_at, id)`,
  `CREATE INDEX payments_by_status ON payments (store_id, status, created_at, id)`,
  // A receipt is held by one payment, whatever else happens.
  `CREATE UNIQUE INDEX payments_receipt_key ON payments (receipt_id, store_id) WHERE receipt_id IS NOT NULL`,
  `CREATE INDEX payments_by_provider ON payments (store_id, (COALESCE(provider, requested_provider)), created_at, id)
     WHERE COALESCE(provider, requested_provider) IS NOT NULL`,
  `CREATE INDEX payments_by_phone ON payments (store_id, customer_phone, created_at, id) WHERE customer_phone IS NOT NULL`,
  `CREATE INDEX payments_by_link ON payments (store_id, payment_link_id, created_at, id) WHERE payment_link_id IS NOT NULL`,
  // What has come through a link is added up from this index alone.
  `CREATE INDEX payments_through_links ON payments (store_id, payment_link_id) INCLUDE (received_amount_minor, pay_amount_minor)
     WHERE payment_link_id IS NOT NULL AND status = 'verified'`,
  `CREATE INDEX payments_submitted_trx ON payments (store_id, submitted_trx_id) WHERE submitted_trx_id IS NOT NULL`,
  `CREATE INDEX payments_trx ON payments (store_id, trx_id) WHERE trx_id IS NOT NULL`,
  `CREATE UNIQUE INDEX payments_pay_amount_reserved ON payments (store_id, currency, pay_amount_minor)
     WHERE pay_amount_reserved`,
  `CREATE INDEX payments_open_amount ON payments (store_id, currency, pay_amount_minor)
     WHERE status IN ('pending', 'submitted', 'review')`,
  // Whose phone ends in four digits, of payments that wait for one amount.
  `CREATE INDEX payments_open_phone ON payments
     (store_id, currency, pay_amount_minor, (right(regexp_replace(customer_phone, '[^0-9]', '', 'g'), 4)))
     WHERE customer_phone IS NOT NULL AND status IN ('pending', 'submitted', 'review')`,
  `CREATE INDEX payments_ended_amount ON payments (store_id, currency, pay_amount_minor, ended_at)
     WHERE ended_at IS NOT NULL`,
  // What merchants look for by their own data, store by store.
  `CREATE INDEX payments_metadata ON payments
     USING gin ((('{"' || store_id::text || '":' || metadata || '}')::jsonb) jsonb_path_ops)
     WHERE metadata IS NOT NULL`,
  `CREATE INDEX payments_verified ON payments (store_id, verified_at, id) WHERE verified_at IS NOT NULL`,
  `CREATE INDEX payments_in_review ON payments (store_id, (COALESCE(submitted_at, created_at)), id) WHERE status = 'review'`,
  `CREATE INDEX payments_expiry ON payments (expires_at) WHERE status = 'pending'`,
  `CREATE INDEX payments_grace ON payments (grace_ends_at) WHERE status = 'submitted'`,
  `CREATE INDEX payments_reserved_until ON payments (ended_at) WHERE pay_amount_reserved AND ended_at IS NOT NULL`,
  // What RETENTION_PERSONAL has not looked at since it was settled.
  `CREATE INDEX payments_personal ON payments (ended_at)
     WHERE ended_at IS NOT NULL AND (redacted_at IS NULL OR redacted_at < ended_at)`,
  `ALTER TABLE payments ADD CONSTRAINT payments_pkey PRIMARY KEY (id, store_id)`,
  `CREATE TABLE submissions (
     payment_id uuid NOT NULL,
     store_id uuid NOT NULL,
     number integer NOT NULL,
     kind text NOT NULL,
     value text NOT NULL,
     provider text,
     currency text NOT NULL,
     amount_minor bigint NOT NULL,
     standing text NOT NULL,
     own_phone boolean NOT NULL DEFAULT false,
     guessable boolean NOT NULL DEFAULT false,
     at timestamptz(3) NOT NULL,
     CONSTRAINT submissions_payment_fkey FOREIGN KEY (payment_id, store_id) REFERENCES payments (id, store_id),
     CONSTRAINT submissions_kind CHECK (kind IN ('trx_id', 'last4digit')),
     CONSTRAINT submissions_standing CHECK (standing IN ('counted', 'refused', 'surplus'))
   )`,
  `CREATE INDEX submissions_value ON submissions (store_id, value, at)`,
  `CREATE INDEX submissions_amount ON submissions (store_id, kind, currency, amount_minor, at) WHERE guessable`,
  `CREATE INDEX submissions_guessable ON submissions (at) WHERE guessable`,
  `ALTER TABLE submissions ADD CONSTRAINT submissions_pkey PRIMARY KEY (payment_id, store_id, number)`,
  // Who is in review over which receipt without holding it; never deleted, ended.
  `CREATE TABLE receipt_claims (
     receipt_id uuid NOT NULL,
     store_id uuid NOT NULL,
     payment_id uuid NOT NULL,
     exact boolean NOT NULL,
     at timestamptz(3) NOT NULL,
     ended_at timestamptz(3),
     CONSTRAINT receipt_claims_pkey PRIMARY KEY (receipt_id, store_id, payment_id),
     CONSTRAINT receipt_claims_receipt_fkey FOREIGN KEY (receipt_id, store_id) REFERENCES receipts (id, store_id),
     CONSTRAINT receipt_claims_payment_fkey FOREIGN KEY (payment_id, store_id) REFERENCES payments (id, store_id)
   )`,
  `CREATE INDEX receipt_claims_payment ON receipt_claims (store_id, payment_id)`,
  `CREATE TABLE amount_shortages (
     store_id uuid NOT NULL,
     currency text NOT NULL,
     amount_minor bigint NOT NULL,
     since timestamptz(3) NOT NULL,
     until timestamptz(3) NOT NULL,
     CONSTRAINT amount_shortages_pkey PRIMARY KEY (store_id, currency, amount_minor),
     CONSTRAINT amount_shortages_store_fkey FOREIGN KEY (store_id) REFERENCES stores (id)
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
  `CREATE TABLE refunds (
     id uuid NOT NULL,
     store_id uuid NOT NULL,
     payment_id uuid NOT NULL,
     amount_minor bigint NOT NULL,
     currency text NOT NULL,
     reason text,
     provider text,
     trx_id text,
     sent_at timestamptz(3),
     status text NOT NULL,
     receipt_id uuid,
     simulated boolean NOT NULL,
     created_at timestamptz(3) NOT NULL,
     confirmed_at timestamptz(3),
     CONSTRAINT refunds_payment_fkey FOREIGN KEY (payment_id, store_id) REFERENCES payments (id, store_id),
     CONSTRAINT refunds_amount CHECK (amount_minor BETWEEN 1 AND 9999999999),
     CONSTRAINT refunds_status CHECK (status IN ('recorded', 'confirmed')),
     CONSTRAINT refunds_trx CHECK (trx_id IS NULL OR provider IS NOT NULL),
     CONSTRAINT refunds_confirmed CHECK ((status = 'confirmed') = (confirmed_at IS NOT NULL))
   )`,
  `CREATE UNIQUE INDEX refunds_once_by_trx ON refunds (store_id, provider, trx_id) WHERE trx_id IS NOT NULL`,
  `CREATE INDEX refunds_payment ON refunds (store_id, payment_id, created_at, id)`,
  `CREATE INDEX refunds_created ON refunds (store_id, created_at, id)`,
  `ALTER TABLE refunds ADD CONSTRAINT refunds_pkey PRIMARY KEY (id, store_id)`,
  // The same form sent twice leads to the same payment.
  `CREATE TABLE payment_link_forms (
     store_id uuid NOT NULL,
     link_id uuid NOT NULL,
     form_key text NOT NULL,
     payment_id uuid NOT NULL,
     address text,
     created_at timestamptz(3) NOT NULL,
     CONSTRAINT payment_link_forms_pkey PRIMARY KEY (store_id, link_id, form_key)
   )`,
  `CREATE INDEX payment_link_forms_address ON payment_link_forms (store_id, link_id, address, created_at)`,
  `CREATE INDEX payment_link_forms_created ON payment_link_forms (created_at)`,
];

const MESSAGES = [
  `CREATE TABLE messages (
     id uuid NOT NULL,
     store_id uuid NOT NULL,
     status text NOT NULL,
     reason text,
     provider text,
     sender text,
     text text NOT NULL,
     app text,
     sim text,
     sent_at timestamptz(3),
     received_at timestamptz(3),
     arrived_at timestamptz(3) NOT NULL,
     rule_name text,
     rule_version integer,
     fields jsonb,
     receipt_id uuid,
     raw text NOT NULL,
     digest bytea,
     redacted_at timestamptz(3),
     CONSTRAINT messages_store_fkey FOREIGN KEY (store_id) REFERENCES stores (id),
     CONSTRAINT messages_receipt_fkey FOREIGN KEY (receipt_id, store_id) REFERENCES receipts (id, store_id),
     CONSTRAINT messages_status CHECK (status IN ('receipt', 'ignored', 'unread'))
   )`,
  `CREATE INDEX messages_arrived ON messages (store_id, arrived_at, id)`,
  // All that told of a receipt, the first and every repetition.
  `CREATE INDEX messages_receipt ON messages (store_id, receipt_id) WHERE receipt_id IS NOT NULL`,
  `CREATE INDEX messages_by_status ON messages (store_id, status, arrived_at, id)`,
  `ALTER TABLE messages ADD CONSTRAINT messages_pkey PRIMARY KEY (id, store_id)`,
];

const EVENTS = [
  `CREATE TABLE events (
     id uuid NOT NULL,
     store_id uuid NOT NULL,
     payment_id uuid,
     subject_id uuid NOT NULL,
     event text NOT NULL,
     body text,
     created_at timestamptz(3) NOT NULL,
     position bigint,
     in_feed boolean NOT NULL DEFAULT true,
     simulated boolean NOT NULL DEFAULT false,
     redacted_at timestamptz(3),
     CONSTRAINT events_store_fkey FOREIGN KEY (store_id) REFERENCES stores (id),
     CONSTRAINT events_once UNIQUE (store_id, event, subject_id)
   )`,
  `CREATE UNIQUE INDEX events_position ON events (store_id, position) WHERE position IS NOT NULL`,
  `CREATE INDEX events_unplaced ON events (store_id, created_at, id) WHERE position IS NULL`,
  `CREATE INDEX events_payment ON events (store_id, payment_id) WHERE payment_id IS NOT NULL`,
  // Where the feed of a store begins that is read since a time.
  `CREATE INDEX events_by_time ON events (store_id, created_at, id) WHERE position IS NOT NULL`,
  // The events that still have a body, the oldest first, so that looking for old ones costs nothing for all others.
  `CREATE INDEX events_with_body ON events (created_at, id) WHERE body IS NOT NULL`,
  `ALTER TABLE events ADD CONSTRAINT events_pkey PRIMARY KEY (id, store_id)`,
  // Who has ever subscribed: the stores' events wait for them while they are switched off.
  `CREATE TABLE subscribers (
     name text NOT NULL,
     first_seen_at timestamptz(3) NOT NULL,
     seeded_at timestamptz(3),
     CONSTRAINT subscribers_pkey PRIMARY KEY (name)
   )`,
  `CREATE TABLE subscriber_positions (
     subscriber text NOT NULL,
     store_id uuid NOT NULL,
     position bigint NOT NULL DEFAULT 0,
     placed bigint NOT NULL DEFAULT 0,
     failures integer NOT NULL DEFAULT 0,
     due_at timestamptz(3),
     lease_token uuid,
     CONSTRAINT subscriber_positions_pkey PRIMARY KEY (subscriber, store_id),
     CONSTRAINT subscriber_positions_store_fkey FOREIGN KEY (store_id) REFERENCES stores (id)
   )`,
  `CREATE INDEX subscriber_positions_due ON subscriber_positions (subscriber, due_at) WHERE due_at IS NOT NULL`,
];

/**
 * An event has one delivery, under its own id: nothing else has to keep it single, and its store is the event's.
 *
 * Every change of a delivery writes an entry into each of its indexes, so there are no more than are needed: the
 * deliveries of a payment are found through its events. A lease is no such change: its columns are in no index, and
 * half of each page is left for what its rows become. That costs 130 bytes a delivery.
 *
 * `deliveries_due` tells when the next delivery of all is due. It holds an expression, so that nothing else can use
 * it: the planner took it for looking up what is due for one store, and read everybody's rows.
 *
 * An attempt is written by the statement that has just changed its delivery, and deliveries are never deleted: a
 * foreign key would only look up again, row by row, what had been found.
 */
const NOTIFICATIONS = [
  `CREATE TABLE deliveries (
     id uuid NOT NULL,
     store_id uuid NOT NULL,
     payment_id uuid,
     status text NOT NULL,
     url text,
     api_key_header text,
     due_at timestamptz(3),
     leased_until timestamptz(3),
     lease_token uuid,
     round_failures integer NOT NULL DEFAULT 0,
     attempt_count integer NOT NULL DEFAULT 0,
     created_at timestamptz(3) NOT NULL,
     delivered_at timestamptz(3),
     CONSTRAINT deliveries_event_fkey FOREIGN KEY (id, store_id) REFERENCES events (id, store_id),
     CONSTRAINT deliveries_status CHECK (status IN ('pending', 'delivered', 'failed', 'held')),
     CONSTRAINT deliveries_pending_due CHECK ((status = 'pending') = (due_at IS NOT NULL))
   ) WITH (fillfactor = 50)`,
  `CREATE INDEX deliveries_due ON deliveries ((due_at AT TIME ZONE 'UTC')) WHERE status = 'pending'`,
  `CREATE INDEX deliveries_due_store ON deliveries (store_id, due_at) WHERE status = 'pending'`,
  `CREATE INDEX deliveries_held ON deliveries (store_id) WHERE status = 'held'`,
  `CREATE INDEX deliveries_created ON deliveries (store_id, created_at, id)`,
  `CREATE INDEX deliveries_failed ON deliveries (store_id, created_at, id) WHERE status = 'failed'`,
  `ALTER TABLE deliveries ADD CONSTRAINT deliveries_pkey PRIMARY KEY (id, store_id)`,
  `CREATE TABLE delivery_attempts (
     delivery_id uuid NOT NULL,
     store_id uuid NOT NULL,
     number integer NOT NULL,
     at timestamptz(3) NOT NULL,
     duration_ms integer NOT NULL,
     response_status integer,
     error text,
     response_excerpt text,
     CONSTRAINT delivery_attempts_pkey PRIMARY KEY (delivery_id, store_id, number)
   )`,
  // In a table, so that they go on after a crash where they were.
  `CREATE TABLE delivery_replays (
     id uuid NOT NULL,
     store_id uuid NOT NULL,
     status text NOT NULL,
     choice text NOT NULL,
     since timestamptz(3) NOT NULL,
     until timestamptz(3) NOT NULL,
     total integer NOT NULL,
     done integer NOT NULL DEFAULT 0,
     cursor_at timestamptz(3),
     cursor_id uuid,
     created_at timestamptz(3) NOT NULL,
     advanced_at timestamptz(3) NOT NULL,
     finished_at timestamptz(3),
     CONSTRAINT delivery_replays_pkey PRIMARY KEY (id, store_id),
     CONSTRAINT delivery_replays_store_fkey FOREIGN KEY (store_id) REFERENCES stores (id),
     CONSTRAINT delivery_replays_status CHECK (status IN ('running', 'done')),
     CONSTRAINT delivery_replays_choice CHECK (choice IN ('failed', 'all')),
     CONSTRAINT delivery_replays_finished CHECK ((status = 'done') = (finished_at IS NOT NULL)),
     CONSTRAINT delivery_replays_cursor CHECK ((cursor_at IS NULL) = (cursor_id IS NULL))
   )`,
  `CREATE UNIQUE INDEX delivery_replays_running ON delivery_replays (store_id) WHERE status = 'running'`,
];

const UP = [...ACCOUNTS, ...AUDIT, ...STORES, ...PAYMENTS, ...MESSAGES, ...EVENTS, ...NOTIFICATIONS];

const DOWN = [
  'DROP TABLE delivery_replays, delivery_attempts, deliveries',
  'DROP TABLE subscriber_positions, subscribers, events',
  'DROP TABLE messages',
  'DROP TABLE payment_link_forms, refunds, idempotency_keys, amount_shortages, receipt_claims, submissions',
  'DROP TABLE payments, receipts, payment_links',
  'DROP TABLE owner_receipts, store_members, store_wallets, phone_signs, store_states, store_secrets, stores',
  'DROP TABLE audit_entries',
  'DROP FUNCTION audit_entries_append_only()',
  'DROP TABLE rate_limits, refresh_tokens, sessions, sso_accounts, sign_in_addresses, recovery_codes, users',
];
