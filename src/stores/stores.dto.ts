import { ApiProperty, ApiPropertyOptional, PartialType, PickType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsISO4217CurrencyCode,
  IsOptional,
  IsString,
  IsUUID,
  Matches,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { IsNotBlank, MaxCharacters } from '../http/index.js';
import {
  type AccountType,
  ACCOUNT_TYPES,
  SIGN_WITH,
  type SignWith,
  type Store,
  type Wallet,
} from './store.js';

/** `[a-z0-9_]{2,20}` (decisions §2). */
export const PROVIDER_PATTERN = /^[a-z0-9_]{2,20}$/;

const MAX_WALLETS = 30;
const MAX_QR_PAYLOAD_CHARACTERS = 512;

export class WalletInput {
  @ApiProperty({
    example: 'bkash',
    pattern: PROVIDER_PATTERN.source,
    description: 'Short lower-case wallet code.',
  })
  @Matches(PROVIDER_PATTERN, {
    message: 'provider must be a code of 2 to 20 lower-case letters, digits or _',
  })
  provider!: string;

  @ApiPropertyOptional({ example: '01700000001', nullable: true, type: String, maxLength: 32 })
  @IsOptional()
  @IsString()
  @MaxCharacters(32)
  number?: string | null;

  @ApiPropertyOptional({ enum: ACCOUNT_TYPES, default: 'personal' })
  @IsOptional()
  @IsIn(ACCOUNT_TYPES)
  accountType?: AccountType;

  @ApiPropertyOptional({
    nullable: true,
    type: String,
    description: 'Bangla QR (EMVCo) payload, drawn as it is.',
  })
  @IsOptional()
  @IsString()
  @MaxCharacters(MAX_QR_PAYLOAD_CHARACTERS)
  qrPayload?: string | null;

  @ApiPropertyOptional({ default: true })
  @IsOptional()
  @IsBoolean()
  enabled?: boolean;
}

export class CreateStoreBody {
  @ApiProperty({ example: 'Dhaka Books', maxLength: 200 })
  @IsString()
  @IsNotBlank()
  @MaxCharacters(200)
  name!: string;

  @ApiPropertyOptional({
    example: 'http://127.0.0.1:4000/webhooks/joma',
    nullable: true,
    type: String,
    description: 'Where `payment.verified` is posted. Checked when it is saved and again when it is called.',
  })
  @IsOptional()
  @IsString()
  @MaxLength(2048)
  webhookUrl?: string | null;

  @ApiPropertyOptional({ example: 'BDT', default: 'BDT', description: 'ISO 4217.' })
  @IsOptional()
  @IsISO4217CurrencyCode()
  @Matches(/^[A-Z]{3}$/, { message: 'currency must be three capital letters' })
  currency?: string;

  @ApiPropertyOptional({ enum: SIGN_WITH, default: 'webhook_secret' })
  @IsOptional()
  @IsIn(SIGN_WITH)
  signWith?: SignWith;

  @ApiPropertyOptional({ type: [WalletInput] })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MAX_WALLETS)
  @ValidateNested({ each: true })
  @Type(() => WalletInput)
  wallets?: WalletInput[];

  @ApiPropertyOptional({
    format: 'uuid',
    description: 'Admins only; the caller owns the store when it is left out.',
  })
  @IsOptional()
  @IsUUID()
  ownerId?: string;
}

export class UpdateStoreBody extends PartialType(
  PickType(CreateStoreBody, ['name', 'webhookUrl', 'currency', 'signWith', 'wallets'] as const),
) {
  @ApiPropertyOptional({ default: true, description: 'Whether receipts may be simulated for this store.' })
  @IsOptional()
  @IsBoolean()
  simulationEnabled?: boolean;
}

export class WalletView {
  @ApiProperty({ example: 'bkash' })
  provider!: string;

  @ApiProperty({ example: '01700000001', nullable: true, type: String })
  number!: string | null;

  @ApiProperty({ enum: ACCOUNT_TYPES })
  accountType!: AccountType;

  @ApiProperty({ nullable: true, type: String })
  qrPayload!: string | null;

  @ApiProperty()
  enabled!: boolean;
}

export class StoreView {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'uuid' })
  ownerId!: string;

  @ApiProperty({ example: 'Dhaka Books' })
  name!: string;

  @ApiProperty({ example: 'BDT' })
  currency!: string;

  @ApiProperty({ nullable: true, type: String, example: 'https://shop.example.com/webhooks/joma' })
  webhookUrl!: string | null;

  @ApiProperty({ enum: SIGN_WITH })
  signWith!: SignWith;

  @ApiProperty()
  simulationEnabled!: boolean;

  @ApiProperty({ type: [WalletView] })
  wallets!: WalletView[];

  @ApiProperty({ example: 'x7Qa', description: 'Last four characters of the API key.' })
  apiKeyHint!: string;

  @ApiProperty({ nullable: true, type: String, format: 'date-time' })
  phoneLastSeenAt!: string | null;

  @ApiProperty({ nullable: true, type: String, format: 'date-time' })
  archivedAt!: string | null;

  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  @ApiProperty({ format: 'date-time' })
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

  @ApiProperty({ nullable: true, type: String })
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

export function walletOf(input: WalletInput): Wallet {
  return {
    provider: input.provider,
    number: input.number ?? null,
    accountType: input.accountType ?? 'personal',
    qrPayload: input.qrPayload ?? null,
    enabled: input.enabled ?? true,
  };
}

export function storeView(store: Store): StoreView {
  return {
    id: store.id,
    ownerId: store.ownerId,
    name: store.name,
    currency: store.currency,
    webhookUrl: store.webhookUrl,
    signWith: store.signWith,
    simulationEnabled: store.simulationEnabled,
    wallets: store.wallets.map((wallet) => ({ ...wallet })),
    apiKeyHint: store.apiKeyHint,
    phoneLastSeenAt: store.phoneLastSeenAt?.toISOString() ?? null,
    archivedAt: store.archivedAt?.toISOString() ?? null,
    createdAt: store.createdAt.toISOString(),
    updatedAt: store.updatedAt.toISOString(),
  };
}
