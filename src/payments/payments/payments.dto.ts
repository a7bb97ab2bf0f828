import { ValidateBy } from 'class-validator';
import { invalidInput } from '../../kernel/domain-error.js';
import { minorFromNumber, numberFromMinor } from '../../kernel/money.js';
import { type RawJson, rawMember } from '../../kernel/raw-json.js';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  Amount,
  Id,
  Instant,
  Integer,
  MayBeLeftOut,
  NEXT_CURSOR,
  OneOf,
  PageQuery,
  parseInstant,
  PlainFields,
  Text,
  WebAddress,
} from '../../platform/http/index.js';
import { normaliseTrxId } from '../../wallets/index.js';
import { isPlainObject, metadataProblems, metadataTextProblems, productsProblems } from './merchant-json.js';
import {
  type Payment,
  PAYMENT_STATUSES,
  type PaymentStatus,
  REVIEW_REASONS,
  type ReviewReason,
} from './payment.js';
import type { PaymentFilter } from './payments-list.js';
import type { NewPayment } from './creation/new-payment.js';
import { Currency, ProviderCode } from '../../stores/index.js';
import { Metadata, Products, ProductView } from './merchant-json.js';

const MIN_LIFETIME_SECONDS = 60;
const MAX_LIFETIME_SECONDS = 30 * 86_400;

@PlainFields()
export class CreatePaymentBody {
  @Amount({ example: 500, description: 'More than 0, at most 99,999,999.99, at most two decimals.' })
  amount!: number;

  @Currency({ nullable: true, example: 'BDT', description: "ISO 4217; the store's currency when left out." })
  currency?: string | null;

  @ProviderCode({
    nullable: true,
    example: 'bkash',
    description: 'Allows this wallet only; any of the store’s wallets when left out.',
  })
  provider?: string | null;

  @Text({ nullable: true, max: 200, example: 'Rahim Uddin' })
  customerName?: string | null;

  @Text({ nullable: true, max: 32, example: '01700000002' })
  customerPhone?: string | null;

  @Text({ nullable: true, max: 1000, example: 'Order 1001' })
  note?: string | null;

  @Products({
    nullable: true,
    description: 'Given back exactly as sent: values, further keys and key order.',
  })
  products?: unknown;

  @Metadata({
    example: { orderId: '1001' },
    description: 'Flat, at most 20 keys of 40 characters, values of 500.',
  })
  metadata?: unknown;

  @WebAddress({
    nullable: true,
    example: 'https://shop.example.com/thanks',
    description: 'Where the payer goes when the payment is verified; http or https.',
  })
  redirectUrl?: string | null;

  @WebAddress({
    nullable: true,
    example: 'https://shop.example.com/cart',
    description: 'Where the payer goes who gives up; http or https.',
  })
  cancelUrl?: string | null;

  @Integer({
    nullable: true,
    min: MIN_LIFETIME_SECONDS,
    max: MAX_LIFETIME_SECONDS,
    example: 3600,
    description: 'Lifetime; `PAYMENT_TTL` (60 min unless set) when left out.',
  })
  expiresInSeconds?: number | null;
}

/** Bodies to try, each as it stands. */
export const CREATE_PAYMENT_EXAMPLES = {
  order: {
    summary: 'An order',
    value: {
      amount: 500,
      customerName: 'Rahim Uddin',
      customerPhone: '01700000002',
      note: 'Order 1001',
      products: [{ name: 'Sonar Tori (hardcover)', quantity: 1, price: 500, sku: 'BK-17' }],
      metadata: { orderId: '1001' },
      redirectUrl: 'https://shop.example.com/thanks',
      cancelUrl: 'https://shop.example.com/cart',
    },
  },
  amount: { summary: 'An amount, and nothing else', value: { amount: 500 } },
  wallet: {
    summary: 'One wallet only, for ten minutes',
    value: { amount: 1250.5, provider: 'bkash', expiresInSeconds: 600 },
  },
};

/** Stands in the description of a list: the document cannot name parameters whose names are the merchant's own. */
export const METADATA_FILTER =
  '`metadata.<key>` lists the payments whose `metadata` has this value under the key, ' +
  'compared as text: `metadata.orderId=1001`.';

export class PaymentQuery extends PageQuery {
  static readonly gathers = 'metadata';

  /** Not a parameter of the document: as an object, Swagger UI would send invented keys. */
  @MayBeLeftOut()
  @IsMetadataFilter()
  metadata?: Readonly<Record<string, string>>;

  @OneOf(PAYMENT_STATUSES, { optional: true, description: 'In this state only.' })
  status?: PaymentStatus;

  @ProviderCode({ optional: true, description: 'Wallet code, such as `bkash`.' })
  provider?: string;

  @Text({
    optional: true,
    max: 200,
    blank: true,
    description: 'Received or submitted; compared as matching does.',
  })
  trxId?: string;

  @Text({
    optional: true,
    max: 64,
    blank: true,
    description: 'Exactly as given when the payment was created.',
  })
  customerPhone?: string;

  @Id({ optional: true, description: 'Made by this payment link.' })
  paymentLinkId?: string;

  @Instant({ optional: true, description: 'Created at this instant or later.' })
  createdFrom?: string;

  @Instant({ optional: true, description: 'Created at this instant or earlier.' })
  createdTo?: string;

  @Instant({ optional: true, description: 'Verified at this instant or later.' })
  verifiedFrom?: string;

  @Instant({ optional: true, description: 'Verified at this instant or earlier.' })
  verifiedTo?: string;
}

/** `metadata.<key>` of a list (contract 3.10), with the limits of `metadata` (contract 3.5). */
function IsMetadataFilter(): PropertyDecorator {
  const isFilter = (value: unknown) =>
    isPlainObject(value) &&
    metadataProblems(value).length === 0 &&
    Object.values(value).every((one) => typeof one === 'string');
  return ValidateBy({
    name: 'isMetadataFilter',
    validator: {
      validate: isFilter,
      defaultMessage: () =>
        'must be given as metadata.<key>, once for each of at most 20 keys of at most 40 characters',
    },
  });
}

const INSTANT = { nullable: true, type: String, format: 'date-time' } as const;
const TEXT = { nullable: true, type: String } as const;

export class PaymentView {
  @ApiProperty({ format: 'uuid', example: '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55' })
  id!: string;

  @ApiProperty({ format: 'uuid', example: '019aa5a1-02f6-7b1d-8a59-6f1f2f6d5a10' })
  storeId!: string;

  @ApiProperty({ enum: PAYMENT_STATUSES, example: 'verified' })
  status!: PaymentStatus;

  @ApiProperty({
    enum: REVIEW_REASONS,
    nullable: true,
    type: String,
    example: null,
    description: 'Why a user must look; kept when they have decided.',
  })
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

  @ApiProperty({
    ...TEXT,
    example: 'DIJ3MXAHCJ',
    description: "The receipt's TrxID; before that, the one that was submitted.",
  })
  trxId!: string | null;

  @ApiProperty({ ...TEXT, example: '01700000002', description: 'As the wallet wrote it, masked or not.' })
  payerNumber!: string | null;

  @ApiProperty({ ...TEXT, example: 'Rahim Uddin' })
  customerName!: string | null;

  @ApiProperty({ ...TEXT, example: '01700000002' })
  customerPhone!: string | null;

  @ApiProperty({ ...TEXT, example: 'Order 1001' })
  note!: string | null;

  @ApiPropertyOptional({ type: [ProductView], description: 'Left out when none were given.' })
  products?: RawJson;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    example: { orderId: '1001' },
  })
  metadata!: RawJson | null;

  @ApiProperty({ ...TEXT, example: 'https://shop.example.com/thanks' })
  redirectUrl!: string | null;

  @ApiProperty({ ...TEXT, example: 'https://shop.example.com/cart' })
  cancelUrl!: string | null;

  @ApiProperty({ example: 'http://localhost:3000/pay/019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55' })
  checkoutUrl!: string;

  @ApiProperty({
    example: 500,
    description: 'What the payer is to send: `amount`, or with `uniqueAmounts` 0.01 to 0.99 more.',
  })
  payAmount!: number;

  @ApiProperty({
    ...TEXT,
    format: 'uuid',
    example: '019aa5b4-11aa-7d02-8f3e-6b7a8c9d0e1f',
    description: 'The attached receipt.',
  })
  receiptId!: string | null;

  @ApiProperty({ nullable: true, type: Number, example: 500 })
  receivedAmount!: number | null;

  @ApiProperty({ example: 0, description: 'The sum of its recorded refunds.' })
  refundedAmount!: number;

  @ApiProperty({ ...TEXT, format: 'uuid', example: null, description: 'The payment link it was made by.' })
  paymentLinkId!: string | null;

  @ApiProperty({ example: false, description: 'True when a simulated receipt paid it.' })
  simulated!: boolean;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T08:15:00.000Z' })
  createdAt!: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T09:15:00.000Z' })
  expiresAt!: string;

  @ApiProperty({ ...INSTANT, example: '2026-11-21T08:19:41.007Z' })
  submittedAt!: string | null;

  @ApiProperty({ ...INSTANT, example: '2026-11-21T08:20:09.123Z' })
  verifiedAt!: string | null;

  @ApiProperty({ ...INSTANT, example: null })
  cancelledAt!: string | null;
}

/** A payment as it is answered when it has just been created. */
export const CREATED_PAYMENT_EXAMPLE = {
  id: '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55',
  storeId: '019aa5a1-02f6-7b1d-8a59-6f1f2f6d5a10',
  status: 'pending',
  reviewReason: null,
  amount: 500,
  currency: 'BDT',
  provider: null,
  trxId: null,
  payerNumber: null,
  customerName: 'Rahim Uddin',
  customerPhone: '01700000002',
  note: 'Order 1001',
  products: [{ name: 'Sonar Tori (hardcover)', quantity: 1, price: 500, sku: 'BK-17' }],
  metadata: { orderId: '1001' },
  redirectUrl: 'https://shop.example.com/thanks',
  cancelUrl: 'https://shop.example.com/cart',
  checkoutUrl: 'http://localhost:3000/pay/019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55',
  payAmount: 500,
  receiptId: null,
  receivedAmount: null,
  refundedAmount: 0,
  paymentLinkId: null,
  simulated: false,
  createdAt: '2026-11-21T08:15:00.000Z',
  expiresAt: '2026-11-21T09:15:00.000Z',
  submittedAt: null,
  verifiedAt: null,
  cancelledAt: null,
};

export class PaymentPage {
  @ApiProperty({ type: [PaymentView] })
  data!: PaymentView[];

  @ApiProperty({ ...TEXT, example: null, description: NEXT_CURSOR })
  nextCursor!: string | null;
}

/**
 * The merchant's own JSON of a body, from the body's own text, since it is given back letter by letter.
 *
 * @throws DomainError `request.invalid` with a pointer to each wrong place
 */
export function merchantJsonOf(
  body: { readonly products?: unknown; readonly metadata?: unknown },
  rawBody: string,
): { products: RawJson | null; metadata: RawJson | null } {
  const problems = [
    ...(body.products == null ? [] : productsProblems(body.products)),
    ...(body.metadata == null ? [] : metadataProblems(body.metadata)),
  ];
  const metadata = body.metadata == null ? null : rawMember(rawBody, 'metadata');
  if (metadata !== null) problems.push(...metadataTextProblems(metadata.text));
  if (problems.length > 0) throw invalidInput(problems);
  return { products: body.products == null ? null : rawMember(rawBody, 'products'), metadata };
}

/**
 * The payment that a checked body asks for. `products` and `metadata` are taken from the body's own text, since they
 * are given back letter by letter.
 *
 * @throws DomainError `request.invalid` with a pointer to each wrong place
 */
export function newPaymentOf(body: CreatePaymentBody, rawBody: string): NewPayment {
  const merchantJson = merchantJsonOf(body, rawBody);
  const amountMinor = minorFromNumber(body.amount);
  if (amountMinor === null) throw new Error('The amount has been validated.');
  return {
    amountMinor,
    currency: body.currency ?? undefined,
    provider: body.provider,
    customerName: body.customerName,
    customerPhone: body.customerPhone,
    note: body.note,
    ...merchantJson,
    redirectUrl: body.redirectUrl,
    cancelUrl: body.cancelUrl,
    expiresInSeconds: body.expiresInSeconds,
  };
}

export function paymentFilterOf(query: PaymentQuery): PaymentFilter {
  return {
    status: query.status,
    provider: query.provider,
    // A text that is no TrxID is looked for as it stands, and found nowhere.
    trxId: query.trxId === undefined ? undefined : (normaliseTrxId(query.trxId) ?? query.trxId),
    customerPhone: query.customerPhone,
    paymentLinkId: query.paymentLinkId?.toLowerCase(),
    createdFrom: parseInstant(query.createdFrom) ?? undefined,
    createdTo: parseInstant(query.createdTo) ?? undefined,
    verifiedFrom: parseInstant(query.verifiedFrom) ?? undefined,
    verifiedTo: parseInstant(query.verifiedTo) ?? undefined,
    metadata: query.metadata,
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
    payAmount: numberFromMinor(payment.payAmountMinor),
    receiptId: payment.receiptId,
    receivedAmount:
      payment.receivedAmountMinor === null ? null : numberFromMinor(payment.receivedAmountMinor),
    refundedAmount: numberFromMinor(payment.refundedAmountMinor),
    paymentLinkId: payment.paymentLinkId,
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
