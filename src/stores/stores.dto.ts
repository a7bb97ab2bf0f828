import { ApiProperty, PartialType, PickType } from '@nestjs/swagger';
import { Duration, Email, Flag, Id, ListOf, NEXT_CURSOR, OneOf, Text } from '../platform/http/index.js';
import { formatDurationMs, parseDurationMs } from '../kernel/duration.js';
import type { StoreChanges } from './stores.service.js';
import type { PhoneStatus } from './phone-presence.js';
import { ACCOUNT_TYPES, type AccountType, QR_PROVIDER } from '../wallets/index.js';
import {
  RECEIPT_CHECKS,
  type ReceiptChecks,
  SIGN_WITH,
  type SignWith,
  type Store,
  type Wallet,
  WEBHOOK_PAUSE_REASONS,
  type WebhookPauseReason,
} from './store.js';
import { STORE_ROLES, type StoreRole } from './store-role.js';
import { Currency, ProviderCode } from './fields.js';

const MAX_WALLETS = 30;
const MAX_QR_PAYLOAD_CHARACTERS = 512;

/** The payload of an invented shop, with its right checksum. */
const QR_PAYLOAD_EXAMPLE =
  '0002010102112633010203020410080315MERCHANT00000015204000053030505802BD5912EXAMPLE SHOP6005DHAKA630420E0';

export class WalletInput {
  @ProviderCode({ example: 'bkash', description: 'Short lower-case wallet code.' })
  provider!: string;

  @Text({ nullable: true, max: 32, example: '01700000001' })
  number?: string | null;

  @OneOf(ACCOUNT_TYPES, {
    optional: true,
    default: 'personal',
    description: 'Decides which action the payer must choose in the wallet.',
  })
  accountType?: AccountType;

  @Text({
    nullable: true,
    max: MAX_QR_PAYLOAD_CHARACTERS,
    example: QR_PAYLOAD_EXAMPLE,
    description: 'Bangla QR (EMVCo) payload, drawn as it is.',
  })
  qrPayload?: string | null;

  @Flag({ optional: true, default: true, description: 'Whether the checkout page offers it.' })
  enabled?: boolean;
}

export class CreateStoreBody {
  @Text({ max: 200, example: 'Dhaka Books' })
  name!: string;

  @Text({
    nullable: true,
    max: 2048,
    example: 'http://127.0.0.1:4000/webhooks/joma',
    description: 'Where `payment.verified` is posted. Checked when it is saved and again when it is called.',
  })
  webhookUrl?: string | null;

  @Currency({ optional: true, example: 'BDT', default: 'BDT', description: 'ISO 4217.' })
  currency?: string;

  @OneOf(SIGN_WITH, {
    optional: true,
    default: 'webhook_secret',
    description: 'The secret that signs `X-Service-Signature`.',
  })
  signWith?: SignWith;

  @ListOf(WalletInput, { optional: true, max: MAX_WALLETS, description: 'What the checkout page offers.' })
  wallets?: WalletInput[];

  @Id({
    optional: true,
    example: '019aa5a0-1b2c-7d3e-8f40-5a6b7c8d9e0f',
    description: 'Admins only; the caller owns the store when it is left out.',
  })
  ownerId?: string;
}

const WALLETS_EXAMPLE = [
  { provider: 'bkash', number: '01700000001', accountType: 'personal' },
  { provider: QR_PROVIDER, accountType: 'merchant', qrPayload: QR_PAYLOAD_EXAMPLE },
];

/** Bodies to try, each as it stands. */
export const CREATE_STORE_EXAMPLES = {
  shop: {
    summary: 'A shop that takes bKash and Bangla QR',
    description: 'Without a webhook URL its events are held, and can be pulled.',
    value: { name: 'Dhaka Books', wallets: WALLETS_EXAMPLE },
  },
  receiver: {
    summary: 'With a receiver on this machine',
    description: 'Private addresses are refused in production unless `WEBHOOK_ALLOW_PRIVATE=true`.',
    value: {
      name: 'Dhaka Books',
      webhookUrl: 'http://127.0.0.1:4000/webhooks/joma',
      signWith: 'webhook_secret',
      wallets: [{ provider: 'bkash', number: '01700000004', accountType: 'personal' }],
    },
  },
};

export const UPDATE_STORE_EXAMPLES = {
  rename: { summary: 'Another name', value: { name: 'Dhaka Books and Maps' } },
  receiver: {
    summary: 'A receiver on this machine; held events go out now',
    description: 'Private addresses are refused in production unless `WEBHOOK_ALLOW_PRIVATE=true`.',
    value: { webhookUrl: 'http://127.0.0.1:4000/webhooks/joma' },
  },
  pull: { summary: 'No receiver: events are held', value: { webhookUrl: null } },
  wallets: {
    summary: 'Other wallets',
    value: { wallets: [{ provider: 'nagad', number: '01700000004', accountType: 'merchant' }] },
  },
};

export class UpdateStoreBody extends PartialType(
  PickType(CreateStoreBody, ['name', 'webhookUrl', 'currency', 'signWith', 'wallets']),
  // Null keeps the field's own rules.
  { skipNullProperties: false },
) {
  @Flag({
    optional: true,
    description: 'Whether receipts may be simulated for this store. A new store: true, in production false.',
  })
  simulationEnabled?: boolean;

  @OneOf(RECEIPT_CHECKS, {
    optional: true,
    default: 'flag',
    description:
      'What a balance that does not fit does to a receipt: nothing, a mark (and `review` where it is below the amount), `review`.',
  })
  receiptChecks?: ReceiptChecks;

  @Duration({
    optional: true,
    example: '1h',
    default: '1h',
    description:
      'How long before a payment its receipt may have come; older money goes to `review`. A shop with a counter on the same wallet sets `10m`.',
  })
  receiptLead?: string;

  @Flag({
    optional: true,
    default: false,
    description:
      'Every payment gets an amount of its own: up to 0.99 more, so that four digits cannot be guessed.',
  })
  uniqueAmounts?: boolean;

  @Email({
    nullable: true,
    example: 'shop@example.com',
    description: 'Where mails about payments go; `null` for none.',
  })
  notifyEmail?: string | null;
}

export class PhoneView {
  @ApiProperty({ nullable: true, type: String, format: 'date-time', example: '2026-11-21T08:20:09.123Z' })
  lastSeenAt!: string | null;

  @ApiProperty({ nullable: true, type: String, example: 'joma-phone' })
  app!: string | null;

  @ApiProperty({ nullable: true, type: Number, example: 87, description: 'In percent.' })
  battery!: number | null;

  @ApiProperty({ nullable: true, type: Number, example: 0, description: 'Receipts it had not sent yet.' })
  pending!: number | null;

  @ApiProperty({ example: false, description: 'Nothing was heard of it for a while, and payments wait.' })
  silent!: boolean;

  @ApiProperty({
    nullable: true,
    type: Number,
    example: null,
    description: 'How far its clock is ahead, where that is wrong by more than 30 s.',
  })
  clockOffsetSeconds!: number | null;
}

export class WalletView {
  @ApiProperty({ example: 'bkash' })
  provider!: string;

  @ApiProperty({ example: '01700000001', nullable: true, type: String })
  number!: string | null;

  @ApiProperty({ enum: ACCOUNT_TYPES, example: 'personal' })
  accountType!: AccountType;

  @ApiProperty({ nullable: true, type: String, example: null })
  qrPayload!: string | null;

  @ApiProperty({ example: true })
  enabled!: boolean;
}

export class StoreView {
  @ApiProperty({ format: 'uuid', example: '019aa5a1-02f6-7b1d-8a59-6f1f2f6d5a10' })
  id!: string;

  @ApiProperty({ format: 'uuid', example: '019aa5a0-1b2c-7d3e-8f40-5a6b7c8d9e0f' })
  ownerId!: string;

  @ApiProperty({ enum: STORE_ROLES, example: 'owner', description: 'What the caller is to the store.' })
  role!: StoreRole;

  @ApiProperty({ example: 'Dhaka Books' })
  name!: string;

  @ApiProperty({ example: 'BDT' })
  currency!: string;

  @ApiProperty({ nullable: true, type: String, example: 'https://shop.example.com/webhooks/joma' })
  webhookUrl!: string | null;

  @ApiProperty({
    nullable: true,
    type: String,
    format: 'date-time',
    example: null,
    description: 'Since when events are held although there is a URL; `null` while they are sent.',
  })
  webhookPausedAt!: string | null;

  @ApiProperty({
    enum: WEBHOOK_PAUSE_REASONS,
    nullable: true,
    example: null,
    description: '`gone`: the receiver answered 410; `failing`: nothing but failures for five days.',
  })
  webhookPauseReason!: WebhookPauseReason | null;

  @ApiProperty({
    enum: SIGN_WITH,
    example: 'webhook_secret',
    description: 'The secret that signs `X-Service-Signature`.',
  })
  signWith!: SignWith;

  @ApiProperty({ example: true })
  simulationEnabled!: boolean;

  @ApiProperty({ enum: RECEIPT_CHECKS, example: 'flag' })
  receiptChecks!: ReceiptChecks;

  @ApiProperty({ example: '1h', description: 'How long before a payment its receipt may have come.' })
  receiptLead!: string;

  @ApiProperty({ example: false })
  uniqueAmounts!: boolean;

  @ApiProperty({ nullable: true, type: String, example: null })
  notifyEmail!: string | null;

  @ApiProperty({ type: [WalletView] })
  wallets!: WalletView[];

  @ApiProperty({ example: 'x7Qa', description: 'Last four characters of the API key.' })
  apiKeyHint!: string;

  @ApiProperty({ type: PhoneView })
  phone!: PhoneView;

  @ApiProperty({ nullable: true, type: String, format: 'date-time', example: '2026-11-21T08:20:09.123Z' })
  phoneLastSeenAt!: string | null;

  @ApiProperty({ nullable: true, type: String, format: 'date-time', example: null })
  archivedAt!: string | null;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T08:00:00.000Z' })
  createdAt!: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T08:00:00.000Z' })
  updatedAt!: string;
}

export class CreatedStoreView extends StoreView {
  @ApiProperty({ example: 'joma_sk_…', description: 'Shown once; it can be rotated, not read again.' })
  apiKey!: string;

  @ApiProperty({ example: 'joma_wh_…' })
  webhookSecret!: string;

  @ApiProperty({ example: 'whsec_…', description: 'Standard Webhooks secret.' })
  signingSecret!: string;
}

export class StorePage {
  @ApiProperty({ type: [StoreView] })
  data!: StoreView[];

  @ApiProperty({
    nullable: true,
    type: String,
    example: null,
    description: NEXT_CURSOR,
  })
  nextCursor!: string | null;
}

export class ApiKeyView {
  @ApiProperty({ example: 'joma_sk_…' })
  apiKey!: string;
}

export class WebhookSecretView {
  @ApiProperty({ example: 'joma_wh_…' })
  webhookSecret!: string;
}

export class SigningSecretView {
  @ApiProperty({ example: 'whsec_…' })
  signingSecret!: string;
}

/** The changes that a checked body makes. `null` clears an address and means "as it is" everywhere else. */
export function storeChangesOf(body: UpdateStoreBody): StoreChanges {
  const { wallets, receiptLead, ...rest } = body;
  const given = Object.fromEntries(
    Object.entries(rest).filter(
      ([field, value]) => value !== null || field === 'webhookUrl' || field === 'notifyEmail',
    ),
  );
  const receiptLeadMs = receiptLead == null ? null : parseDurationMs(receiptLead);
  return {
    ...given,
    ...(receiptLeadMs === null ? {} : { receiptLeadMs }),
    wallets: wallets?.map(walletOf),
  };
}

export function walletOf(input: WalletInput): Wallet {
  return {
    provider: input.provider,
    number: input.number ?? null,
    accountType: input.accountType ?? 'personal',
    qrPayload: input.qrPayload ?? null,
    enabled: input.enabled ?? true,
  };
}

/** The store as a user sees it: what it is to them, and its phone. */
export interface StoreForUser {
  readonly store: Store;
  readonly role: StoreRole;
  readonly phone: PhoneStatus;
}

export function storeView({ store, role, phone }: StoreForUser): StoreView {
  return {
    id: store.id,
    ownerId: store.ownerId,
    role,
    name: store.name,
    currency: store.currency,
    webhookUrl: store.webhookUrl,
    webhookPausedAt: store.webhookPausedAt?.toISOString() ?? null,
    webhookPauseReason: store.webhookPauseReason,
    signWith: store.signWith,
    simulationEnabled: store.simulationEnabled,
    receiptChecks: store.receiptChecks,
    receiptLead: formatDurationMs(store.receiptLeadMs),
    uniqueAmounts: store.uniqueAmounts,
    notifyEmail: store.notifyEmail,
    wallets: store.wallets.map((wallet) => ({ ...wallet })),
    apiKeyHint: store.apiKeyHint,
    phone: { ...phone, lastSeenAt: phone.lastSeenAt?.toISOString() ?? null },
    phoneLastSeenAt: phone.lastSeenAt?.toISOString() ?? null,
    archivedAt: store.archivedAt?.toISOString() ?? null,
    createdAt: store.createdAt.toISOString(),
    updatedAt: store.updatedAt.toISOString(),
  };
}
