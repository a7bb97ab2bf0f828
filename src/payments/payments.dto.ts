import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  IsIn,
  IsInt,
  IsISO4217CurrencyCode,
  IsOptional,
  IsString,
  IsUUID,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { invalidInput } from '../kernel/domain-error.js';
import { minorFromNumber, numberFromMinor } from '../kernel/money.js';
import { type RawJson, rawMember } from '../kernel/raw-json.js';
import { IsNotBlank, MaxCharacters, PageQuery } from '../http/index.js';
import { PROVIDER_PATTERN } from '../stores/index.js';
import { metadataProblems, productsProblems } from './merchant-json.js';
import { IsInstant, IsMoney, IsWebAddress, parseInstant } from './payment-rules.js';
import {
  type Payment,
  PAYMENT_STATUSES,
  type PaymentStatus,
  REVIEW_REASONS,
  type ReviewReason,
} from './payment.js';
import type { PaymentFilter } from './payments.repository.js';
import type { NewPayment } from './payments.service.js';
import {
  type Receipt,
  RECEIPT_SOURCES,
  RECEIPT_STATUSES,
  type ReceiptSource,
  type ReceiptStatus,
} from './receipt.js';
import { normaliseTrxId } from './trx-id.js';

const MIN_LIFETIME_SECONDS = 60;
const MAX_LIFETIME_SECONDS = 30 * 86_400;

const PROVIDER_RULE = { message: 'must be a code of 2 to 20 lower-case letters, digits or _' };

export class ProductView {
  @ApiProperty({ example: 'Sonar Tori (hardcover)', maxLength: 300 })
  name!: string;

  @ApiProperty({ example: 1, minimum: 1, type: 'integer' })
  quantity!: number;

  @ApiProperty({ example: 500, minimum: 0 })
  price!: number;
}

export class CreatePaymentBody {
  @ApiProperty({ example: 500, description: 'More than 0, at most 99,999,999.99, at most two decimals.' })
  @IsMoney()
  amount!: number;

  @ApiPropertyOptional({ example: 'BDT', description: "ISO 4217; the store's currency when left out." })
  @IsOptional()
  @IsISO4217CurrencyCode()
  @Matches(/^[A-Z]{3}$/, { message: 'must be three capital letters' })
  currency?: string | null;

  @ApiPropertyOptional({
    example: 'bkash',
    nullable: true,
    type: String,
    description: 'Allows this wallet only.',
  })
  @IsOptional()
  @Matches(PROVIDER_PATTERN, PROVIDER_RULE)
  provider?: string | null;

  @ApiPropertyOptional({ example: 'Rahim Uddin', nullable: true, type: String, maxLength: 200 })
  @IsOptional()
  @IsString()
  @MaxCharacters(200)
  customerName?: string | null;

  @ApiPropertyOptional({ example: '01700000002', nullable: true, type: String, maxLength: 32 })
  @IsOptional()
  @IsString()
  @MaxCharacters(32)
  customerPhone?: string | null;

  @ApiPropertyOptional({ example: 'Order 1001', nullable: true, type: String, maxLength: 1000 })
  @IsOptional()
  @IsString()
  @MaxCharacters(1000)
  note?: string | null;

  @ApiPropertyOptional({
    type: [ProductView],
    maxItems: 100,
    description: 'Given back exactly as sent: values, further keys and key order.',
  })
  @IsOptional()
  products?: unknown;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] },
    example: { orderId: '1001' },
    description: 'Flat, at most 20 keys of 40 characters, values of 500.',
  })
  @IsOptional()
  metadata?: unknown;

  @ApiPropertyOptional({ example: 'https://shop.example.com/thanks', nullable: true, type: String })
  @IsOptional()
  @IsWebAddress()
  @MaxLength(2048)
  redirectUrl?: string | null;

  @ApiPropertyOptional({ example: 'https://shop.example.com/cart', nullable: true, type: String })
  @IsOptional()
  @IsWebAddress()
  @MaxLength(2048)
  cancelUrl?: string | null;

  @ApiPropertyOptional({
    example: 3600,
    minimum: MIN_LIFETIME_SECONDS,
    maximum: MAX_LIFETIME_SECONDS,
    type: 'integer',
  })
  @IsOptional()
  @IsInt()
  @Min(MIN_LIFETIME_SECONDS)
  @Max(MAX_LIFETIME_SECONDS)
  expiresInSeconds?: number | null;
}

export class PaymentQuery extends PageQuery {
  @ApiPropertyOptional({ enum: PAYMENT_STATUSES })
  @IsOptional()
  @IsIn(PAYMENT_STATUSES)
  status?: PaymentStatus;

  @ApiPropertyOptional({ example: 'bkash' })
  @IsOptional()
  @Matches(PROVIDER_PATTERN, PROVIDER_RULE)
  provider?: string;

  @ApiPropertyOptional({ description: 'Received or submitted; compared as matching does.' })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  trxId?: string;

  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MaxLength(64)
  customerPhone?: string;

  @ApiPropertyOptional({ format: 'date-time' })
  @IsOptional()
  @IsInstant()
  createdFrom?: string;

  @ApiPropertyOptional({ format: 'date-time' })
  @IsOptional()
  @IsInstant()
  createdTo?: string;
}

export class ApproveBody {
  @ApiProperty({ example: 'Customer paid the rest in cash.', maxLength: 500 })
  @IsString()
  @IsNotBlank()
  @MaxCharacters(500)
  reason!: string;

  @ApiPropertyOptional({
    format: 'uuid',
    description: 'Chooses the receipt; required while the payment is `ambiguous`.',
  })
  @IsOptional()
  @IsUUID()
  receiptId?: string;
}

export class RejectBody {
  @ApiProperty({ example: 'Refunded to the sender.', maxLength: 500 })
  @IsString()
  @IsNotBlank()
  @MaxCharacters(500)
  reason!: string;
}

export class MatchReceiptBody {
  @ApiProperty({ format: 'uuid' })
  @IsUUID()
  paymentId!: string;

  @ApiProperty({ example: 'Customer sent a screenshot.', maxLength: 500 })
  @IsString()
  @IsNotBlank()
  @MaxCharacters(500)
  reason!: string;
}

export class ReceiptQuery extends PageQuery {
  @ApiPropertyOptional({ enum: RECEIPT_STATUSES })
  @IsOptional()
  @IsIn(RECEIPT_STATUSES)
  status?: ReceiptStatus;
}

const INSTANT = { nullable: true, type: String, format: 'date-time' } as const;
const TEXT = { nullable: true, type: String } as const;

export class PaymentView {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'uuid' })
  storeId!: string;

  @ApiProperty({ enum: PAYMENT_STATUSES })
  status!: PaymentStatus;

  @ApiProperty({ enum: REVIEW_REASONS, nullable: true, type: String })
  reviewReason!: ReviewReason | null;

  @ApiProperty({ example: 500 })
  amount!: number;

  @ApiProperty({ example: 'BDT' })
  currency!: string;

  @ApiProperty({
    ...TEXT,
    example: 'bkash',
    description: "The receipt's wallet; before that, the one that was asked for.",
  })
  provider!: string | null;

  @ApiProperty({ ...TEXT, description: "The receipt's TrxID; before that, the one that was submitted." })
  trxId!: string | null;

  @ApiProperty(TEXT)
  payerNumber!: string | null;

  @ApiProperty(TEXT)
  customerName!: string | null;

  @ApiProperty(TEXT)
  customerPhone!: string | null;

  @ApiProperty(TEXT)
  note!: string | null;

  @ApiPropertyOptional({ type: [ProductView], description: 'Left out when none were given.' })
  products?: RawJson;

  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true })
  metadata!: RawJson | null;

  @ApiProperty(TEXT)
  redirectUrl!: string | null;

  @ApiProperty(TEXT)
  cancelUrl!: string | null;

  @ApiProperty({ example: 'http://localhost:3000/pay/019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55' })
  checkoutUrl!: string;

  @ApiProperty({ nullable: true, type: Number })
  receivedAmount!: number | null;

  @ApiProperty({ description: 'True when a simulated receipt paid it.' })
  simulated!: boolean;

  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  @ApiProperty({ format: 'date-time' })
  expiresAt!: string;

  @ApiProperty(INSTANT)
  submittedAt!: string | null;

  @ApiProperty(INSTANT)
  verifiedAt!: string | null;

  @ApiProperty(INSTANT)
  cancelledAt!: string | null;
}

export class PaymentPage {
  @ApiProperty({ type: [PaymentView] })
  data!: PaymentView[];

  @ApiProperty({ nullable: true, type: String })
  nextCursor!: string | null;
}

export class ReceiptView {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'uuid' })
  storeId!: string;

  @ApiProperty({ enum: RECEIPT_STATUSES })
  status!: ReceiptStatus;

  @ApiProperty({ enum: RECEIPT_SOURCES })
  source!: ReceiptSource;

  @ApiProperty()
  app!: string;

  @ApiProperty({ example: 'bkash' })
  provider!: string;

  @ApiProperty({ example: 'received' })
  kind!: string;

  @ApiProperty(TEXT)
  trxId!: string | null;

  @ApiProperty({ ...TEXT, pattern: '^[0-9]{4}$' })
  last4digit!: string | null;

  @ApiProperty({ example: 500 })
  amount!: number;

  @ApiProperty({ example: 'BDT' })
  currency!: string;

  @ApiProperty({ ...TEXT, description: 'As the wallet wrote it, masked or not.' })
  counterparty!: string | null;

  @ApiProperty({ nullable: true, type: Number })
  balance!: number | null;

  @ApiProperty({ format: 'date-time' })
  receivedAt!: string;

  @ApiProperty({ format: 'date-time' })
  arrivedAt!: string;

  @ApiProperty()
  simulated!: boolean;

  @ApiProperty({ ...TEXT, format: 'uuid', description: 'The payment that holds it.' })
  paymentId!: string | null;

  @ApiProperty({ type: [String], description: 'Marks of a doubtful message.' })
  flags!: readonly string[];

  @ApiProperty({ description: 'The body as it came.' })
  raw!: string;
}

export class ReceiptPage {
  @ApiProperty({ type: [ReceiptView] })
  data!: ReceiptView[];

  @ApiProperty({ nullable: true, type: String })
  nextCursor!: string | null;
}

export class MatchedReceiptView extends ReceiptView {
  @ApiProperty({ type: PaymentView })
  payment!: PaymentView;
}

/**
 * What a checked body asks for. `products` and `metadata` are taken from the body's own text, since they are given back
 * letter by letter.
 *
 * @throws DomainError `request.invalid` with a pointer to each wrong place
 */
export function newPaymentOf(body: CreatePaymentBody, rawBody: string): NewPayment {
  const problems = [
    ...(body.products == null ? [] : productsProblems(body.products)),
    ...(body.metadata == null ? [] : metadataProblems(body.metadata)),
  ];
  if (problems.length > 0) throw invalidInput(problems);
  const amountMinor = minorFromNumber(body.amount);
  if (amountMinor === null) throw new Error('The amount has been validated.');
  return {
    amountMinor,
    currency: body.currency ?? undefined,
    provider: body.provider,
    customerName: body.customerName,
    customerPhone: body.customerPhone,
    note: body.note,
    products: body.products == null ? null : rawMember(rawBody, 'products'),
    metadata: body.metadata == null ? null : rawMember(rawBody, 'metadata'),
    redirectUrl: body.redirectUrl,
    cancelUrl: body.cancelUrl,
    expiresInSeconds: body.expiresInSeconds,
  };
}

export function paymentFilterOf(query: PaymentQuery): PaymentFilter {
  return {
    status: query.status,
    provider: query.provider,
    // What is no TrxID is nobody's: it is looked for as it stands, and found nowhere.
    trxId: query.trxId === undefined ? undefined : (normaliseTrxId(query.trxId) ?? query.trxId),
    customerPhone: query.customerPhone,
    createdFrom: parseInstant(query.createdFrom) ?? undefined,
    createdTo: parseInstant(query.createdTo) ?? undefined,
  };
}

export function paymentView(payment: Payment, publicUrl: string): PaymentView {
  return {
    id: payment.id,
    storeId: payment.storeId,
    status: payment.status,
    reviewReason: payment.reviewReason,
    amount: numberFromMinor(payment.amountMinor),
    currency: payment.currency,
    provider: payment.provider ?? payment.requestedProvider,
    trxId: payment.trxId ?? (payment.submission?.kind === 'trx_id' ? payment.submission.trxId : null),
    payerNumber: payment.payerNumber,
    customerName: payment.customerName,
    customerPhone: payment.customerPhone,
    note: payment.note,
    ...(payment.products === null ? {} : { products: payment.products }),
    metadata: payment.metadata,
    redirectUrl: payment.redirectUrl,
    cancelUrl: payment.cancelUrl,
    checkoutUrl: checkoutUrlOf(payment.id, publicUrl),
    receivedAmount:
      payment.receivedAmountMinor === null ? null : numberFromMinor(payment.receivedAmountMinor),
    simulated: payment.simulated,
    createdAt: payment.createdAt.toISOString(),
    expiresAt: payment.expiresAt.toISOString(),
    submittedAt: payment.submittedAt?.toISOString() ?? null,
    verifiedAt: payment.verifiedAt?.toISOString() ?? null,
    cancelledAt: payment.cancelledAt?.toISOString() ?? null,
  };
}

export function checkoutUrlOf(paymentId: string, publicUrl: string): string {
  return `${publicUrl}/pay/${paymentId}`;
}

export function receiptView(receipt: Receipt): ReceiptView {
  return {
    id: receipt.id,
    storeId: receipt.storeId,
    status: receipt.status,
    source: receipt.source,
    app: receipt.app,
    provider: receipt.provider,
    kind: receipt.kind,
    trxId: receipt.trxId,
    last4digit: receipt.last4digit,
    amount: numberFromMinor(receipt.amountMinor),
    currency: receipt.currency,
    counterparty: receipt.counterparty,
    balance: receipt.balanceMinor === null ? null : numberFromMinor(receipt.balanceMinor),
    receivedAt: receipt.receivedAt.toISOString(),
    arrivedAt: receipt.arrivedAt.toISOString(),
    simulated: receipt.simulated,
    paymentId: receipt.paymentId,
    flags: receipt.flags,
    raw: receipt.raw,
  };
}
