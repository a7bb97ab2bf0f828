import {
  bytes,
  flag,
  instant,
  integer,
  type RecordOf,
  table,
  text,
  uuid,
  whole,
} from '../platform/database/index.js';
import type { AccountType } from '../wallets/index.js';
import type { ReceiptChecks, SecretKind, SignWith, WebhookPauseReason } from './store-words.js';

/** Table `stores`: on every node, so what changes often stands in `store_states`. */
export const STORES = table(
  'stores',
  {
    id: uuid('id').key(),
    ownerId: uuid('owner_id'),
    name: text('name').changing(),
    currency: text('currency').changing(),
    webhookUrl: text('webhook_url').orNull().changing(),
    /** Since when events are held although there is a URL; null while they are sent. */
    webhookPausedAt: instant('webhook_paused_at').orNull().later(),
    webhookPauseReason: text<WebhookPauseReason>('webhook_pause_reason').orNull().later(),
    signWith: text<SignWith>('sign_with').changing(),
    simulationEnabled: flag('simulation_enabled').changing(),
    receiptChecks: text<ReceiptChecks>('receipt_checks').withDefault('flag').changing(),
    /** How long before a payment its receipt may have come, in milliseconds (contract 4.8, old money). */
    receiptLeadMs: whole('receipt_lead_ms').withDefault(3_600_000).changing(),
    uniqueAmounts: flag('unique_amounts').withDefault(false).changing(),
    notifyEmail: text('notify_email').orNull().changing(),
    /** Follows the account of the owner: while that is deactivated, the store is closed (contract 14.31). */
    ownerActive: flag('owner_active').withDefault(true).later(),
    archivedAt: instant('archived_at').orNull().later(),
    createdAt: instant('created_at'),
    updatedAt: instant('updated_at').changing(),
  },
  {
    foreignKeys: { stores_owner_fkey: { on: ['ownerId'], to: 'users', columns: ['id'] } },
    indexes: {
      stores_owner: { on: ['ownerId', 'createdAt', 'id'] },
      stores_created: { on: ['createdAt', 'id'] },
      stores_mark: 'expression',
    },
    checks: {
      stores_currency: `currency ~ '^[A-Z]{3}$'`,
      stores_sign_with: `sign_with IN ('webhook_secret', 'api_key')`,
      stores_receipt_checks: `receipt_checks IN ('off', 'flag', 'review')`,
      stores_receipt_lead: `receipt_lead_ms >= 0`,
      stores_webhook_pause_reason: `webhook_pause_reason IN ('gone', 'failing')`,
      stores_webhook_pause: `(webhook_paused_at IS NULL) = (webhook_pause_reason IS NULL)`,
    },
  },
);

/** Table `store_secrets`: looked up by digest, kept recoverable under AES-256-GCM only (contract 2.6). */
export const STORE_SECRETS = table(
  'store_secrets',
  {
    id: uuid('id').key(),
    storeId: uuid('store_id'),
    kind: text<SecretKind>('kind'),
    digest: bytes('digest'),
    ciphertext: bytes('ciphertext'),
    hint: text('hint'),
    createdAt: instant('created_at'),
    retiredAt: instant('retired_at').orNull().later(),
    signsUntil: instant('signs_until').orNull().later(),
  },
  {
    foreignKeys: { store_secrets_store_fkey: { on: ['storeId'], to: 'stores', columns: ['id'] } },
    unique: { store_secrets_digest_key: ['digest'] },
    indexes: {
      store_secrets_current: { on: ['storeId', 'kind'], where: 'retired_at IS NULL', unique: true },
      store_secrets_store: { on: ['storeId', 'kind'] },
    },
    checks: {
      store_secrets_kind: `kind IN ('api_key', 'webhook_secret', 'signing_secret')`,
      store_secrets_retired: `(retired_at IS NULL) = (signs_until IS NULL)`,
    },
  },
);

/**
 * Table `store_states`: one row a store, beside the store's payments; what changes often, and where its locks are
 * taken.
 */
export const STORE_STATES = table(
  'store_states',
  {
    storeId: uuid('store_id').key(),
    phoneLastSeenAt: instant('phone_last_seen_at').orNull().later(),
    phoneApp: text('phone_app').orNull().later(),
    /** In percent. */
    phoneBattery: integer('phone_battery').orNull().later(),
    /** Receipts the phone had not sent yet. */
    phonePending: integer('phone_pending').orNull().later(),
    /** The last heartbeat said that messages are pending. */
    phoneHasBacklog: flag('phone_has_backlog').withDefault(false).later(),
    /** How far the phone's clock is ahead, in milliseconds. */
    phoneClockOffsetMs: whole('phone_clock_offset_ms').orNull().later(),
    /** The first failed attempt since the last success; null after a success. */
    webhookFailingSince: instant('webhook_failing_since').orNull().later(),
    /** Since when payments wait for a receipt; null while none does. */
    waitingSince: instant('waiting_since').orNull().later(),
  },
  {
    foreignKeys: { store_states_store_fkey: { on: ['storeId'], to: 'stores', columns: ['id'] } },
    indexes: {
      store_states_failing: { on: ['webhookFailingSince'], where: 'webhook_failing_since IS NOT NULL' },
      store_states_waiting: { on: ['waitingSince'], where: 'waiting_since IS NOT NULL' },
    },
  },
);
export type StoreState = RecordOf<typeof STORE_STATES>;

/** Table `phone_signs`: when a store's phone was heard of late, at most once a minute (contract 4.81). */
export const PHONE_SIGNS = table(
  'phone_signs',
  {
    storeId: uuid('store_id').key(),
    slot: whole('slot').key(),
    at: instant('at'),
  },
  {
    foreignKeys: { phone_signs_store_fkey: { on: ['storeId'], to: 'stores', columns: ['id'] } },
    indexes: { phone_signs_at: { on: ['at'] } },
  },
);

/**
 * Table `store_wallets`: one wallet stands in one live store of an owner only; the unique key keeps it so (contract
 * 4.45).
 */
export const STORE_WALLETS = table(
  'store_wallets',
  {
    storeId: uuid('store_id').key(),
    position: integer('position').key(),
    ownerId: uuid('owner_id'),
    /** False once the store is archived. */
    live: flag('live').withDefault(true),
    provider: text('provider'),
    number: text('number').orNull(),
    numberKey: text('number_key').orNull(),
    accountType: text<AccountType>('account_type'),
    qrPayload: text('qr_payload').orNull(),
    enabled: flag('enabled'),
  },
  {
    foreignKeys: { store_wallets_store_fkey: { on: ['storeId'], to: 'stores', columns: ['id'] } },
    indexes: {
      store_wallets_in_use: {
        on: ['ownerId', 'provider', 'numberKey'],
        where: 'live AND number_key IS NOT NULL',
        unique: true,
      },
    },
    checks: { store_wallets_account_type: `account_type IN ('personal', 'merchant', 'agent')` },
  },
);

/** Table `store_members` (contract 15.1). No foreign key on the user: users stay on the coordinator. */
export const STORE_MEMBERS = table(
  'store_members',
  {
    storeId: uuid('store_id').key(),
    userId: uuid('user_id').key(),
    role: text<'viewer' | 'reviewer' | 'manager'>('role').changing(),
    createdAt: instant('created_at'),
  },
  {
    foreignKeys: { store_members_store_fkey: { on: ['storeId'], to: 'stores', columns: ['id'] } },
    indexes: { store_members_user: { on: ['userId'] } },
    checks: { store_members_role: `role IN ('viewer', 'reviewer', 'manager')` },
  },
);
