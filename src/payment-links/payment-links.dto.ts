import { ApiProperty, ApiPropertyOptional, PartialType, PickType } from '@nestjs/swagger';
import {
  Amount,
  Flag,
  Instant,
  Integer,
  NEXT_CURSOR,
  parseInstant,
  Pattern,
  Text,
  WebAddress,
} from '../platform/http/index.js';
import { invalidInput } from '../kernel/domain-error.js';
import { minorFromNumber, numberFromMinor } from '../kernel/money.js';
import type { RawJson } from '../kernel/raw-json.js';
import { merchantJsonOf, Metadata, Products, ProductView } from '../payments/index.js';
import { linkUrlOf, SLUG_PATTERN } from './payment-link.js';
import type { CountedLink, LinkChanges, NewLink } from './payment-links.service.js';
import { ProviderCode } from '../stores/index.js';

const MAX_PAYMENTS = 1_000_000;

const TEXT = { nullable: true, type: String } as const;
const INSTANT = { ...TEXT, format: 'date-time' } as const;
const AMOUNT = { nullable: true, type: Number } as const;

export class CreatePaymentLinkBody {
  @Text({ max: 200, example: 'Handloom saree, red', minLength: 1 })
  title!: string;

  @Amount({
    nullable: true,
    example: 1250,
    description: 'What the payer pays, in the store’s currency; the payer says how much when left out.',
  })
  amount?: number | null;

  @Amount({ nullable: true, example: null, description: 'Least that is taken; not beside `amount`.' })
  minAmount?: number | null;

  @Amount({ nullable: true, example: null, description: 'Most that is taken; not beside `amount`.' })
  maxAmount?: number | null;

  @Text({
    nullable: true,
    max: 1000,
    example: 'Delivery in Dhaka included',
    description: 'Shown on the page, and the `note` of each payment.',
  })
  note?: string | null;

  @Products({ description: 'As of a payment: given back exactly as sent.' })
  products?: unknown;

  @Metadata({
    example: { campaign: 'eid' },
    description: 'As of a payment; each payment of the link has it.',
  })
  metadata?: unknown;

  @ProviderCode({ nullable: true, example: 'bkash', description: 'Allows this wallet only.' })
  provider?: string | null;

  @WebAddress({
    nullable: true,
    example: 'https://shop.example.com/thanks',
    description: 'Where the payer goes when the payment is verified; http or https.',
  })
  redirectUrl?: string | null;

  @Integer({
    nullable: true,
    min: 1,
    max: MAX_PAYMENTS,
    example: 50,
    description: 'Takes no new payments once so many are verified.',
  })
  maxPayments?: number | null;

  @Instant({
    nullable: true,
    example: '2027-01-31T18:00:00.000Z',
    description: 'Takes no new payments from then on.',
  })
  expiresAt?: string | null;

  @Flag({ optional: true, example: true, default: false, description: 'The page asks for the payer’s name.' })
  askName?: boolean;

  @Flag({
    optional: true,
    example: true,
    default: false,
    description: 'The page asks for the payer’s phone.',
  })
  askPhone?: boolean;

  @Pattern(SLUG_PATTERN, 'must be 3 to 60 lower-case letters, digits or hyphens', {
    nullable: true,
    example: 'red-saree',
    description: 'End of the address, unique in the installation; ten random characters when left out.',
  })
  slug?: string | null;
}

/** Bodies to try, each as it stands. */
export const CREATE_LINK_EXAMPLES = {
  article: {
    summary: 'An article at a price',
    value: {
      title: 'Handloom saree, red',
      amount: 1250,
      note: 'Delivery in Dhaka included',
      askName: true,
      askPhone: true,
      maxPayments: 50,
    },
  },
  free: { summary: 'The payer says how much', value: { title: 'Pay Dhaka Books', minAmount: 10 } },
};

export class UpdatePaymentLinkBody extends PartialType(
  PickType(CreatePaymentLinkBody, ['note', 'redirectUrl', 'maxPayments', 'expiresAt']),
) {
  @Text({ optional: true, max: 200, example: 'Handloom saree, red', minLength: 1 })
  title?: string;

  @Flag({ optional: true, example: false, description: 'False switches the link off.' })
  active?: boolean;
}

export class PaymentLinkView {
  @ApiProperty({ format: 'uuid', example: '019aa5d0-7c1e-7cc3-98f4-2f0d6a1b9c55' })
  id!: string;

  @ApiProperty({ format: 'uuid', example: '019aa5a1-02f6-7b1d-8a59-6f1f2f6d5a10' })
  storeId!: string;

  @ApiProperty({ example: 'red-saree' })
  slug!: string;

  @ApiProperty({ example: 'http://localhost:3000/l/red-saree' })
  url!: string;

  @ApiProperty({ example: 'Handloom saree, red' })
  title!: string;

  @ApiProperty({ ...AMOUNT, example: 1250 })
  amount!: number | null;

  @ApiProperty({ ...AMOUNT, example: null })
  minAmount!: number | null;

  @ApiProperty({ ...AMOUNT, example: null })
  maxAmount!: number | null;

  @ApiProperty({ ...TEXT, example: 'Delivery in Dhaka included' })
  note!: string | null;

  @ApiPropertyOptional({ type: [ProductView], description: 'Left out when none were given.' })
  products?: RawJson;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    example: { campaign: 'eid' },
  })
  metadata!: RawJson | null;

  @ApiProperty({ ...TEXT, example: null })
  provider!: string | null;

  @ApiProperty({ ...TEXT, example: null })
  redirectUrl!: string | null;

  @ApiProperty({ nullable: true, type: 'integer', example: 50 })
  maxPayments!: number | null;

  @ApiProperty({ ...INSTANT, example: null })
  expiresAt!: string | null;

  @ApiProperty({ example: true })
  askName!: boolean;

  @ApiProperty({ example: true })
  askPhone!: boolean;

  @ApiProperty({ example: true })
  active!: boolean;

  @ApiProperty({ type: 'integer', example: 3, description: 'Verified payments of this link.' })
  verifiedCount!: number;

  @ApiProperty({ example: 3750, description: 'What these came to, in the store’s currency.' })
  verifiedAmount!: number;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T08:15:00.000Z' })
  createdAt!: string;
}

export class PaymentLinkPage {
  @ApiProperty({ type: [PaymentLinkView] })
  data!: PaymentLinkView[];

  @ApiProperty({ ...TEXT, example: null, description: NEXT_CURSOR })
  nextCursor!: string | null;
}

/**
 * The link that a checked body asks for; `products` and `metadata` are taken from the body's own text.
 *
 * @throws DomainError `request.invalid` with a pointer to each wrong place
 */
export function newLinkOf(body: CreatePaymentLinkBody, rawBody: string): NewLink {
  const amountMinor = minorOf(body.amount);
  const minAmountMinor = minorOf(body.minAmount);
  const maxAmountMinor = minorOf(body.maxAmount);
  if (amountMinor !== null && (minAmountMinor !== null || maxAmountMinor !== null))
    throw invalidInput([{ pointer: '/amount', detail: 'must not stand beside minAmount or maxAmount' }]);
  if (minAmountMinor !== null && maxAmountMinor !== null && minAmountMinor > maxAmountMinor)
    throw invalidInput([{ pointer: '/maxAmount', detail: 'must not be less than minAmount' }]);
  return {
    slug: body.slug ?? null,
    title: body.title.trim(),
    amountMinor,
    minAmountMinor,
    maxAmountMinor,
    note: body.note ?? null,
    ...merchantJsonOf(body, rawBody),
    provider: body.provider ?? null,
    redirectUrl: body.redirectUrl ?? null,
    maxPayments: body.maxPayments ?? null,
    expiresAt: parseInstant(body.expiresAt),
    askName: body.askName ?? false,
    askPhone: body.askPhone ?? false,
  };
}

export function linkChangesOf(body: UpdatePaymentLinkBody): LinkChanges {
  return {
    ...(body.title === undefined ? {} : { title: body.title.trim() }),
    ...(body.note === undefined ? {} : { note: body.note }),
    ...(body.active === undefined ? {} : { active: body.active }),
    ...(body.maxPayments === undefined ? {} : { maxPayments: body.maxPayments }),
    ...(body.expiresAt === undefined ? {} : { expiresAt: parseInstant(body.expiresAt) }),
    ...(body.redirectUrl === undefined ? {} : { redirectUrl: body.redirectUrl }),
  };
}

export function paymentLinkView(link: CountedLink, publicUrl: string): PaymentLinkView {
  return {
    id: link.id,
    storeId: link.storeId,
    slug: link.slug,
    url: linkUrlOf(link.slug, publicUrl),
    title: link.title,
    amount: numberOf(link.amountMinor),
    minAmount: numberOf(link.minAmountMinor),
    maxAmount: numberOf(link.maxAmountMinor),
    note: link.note,
    ...(link.products === null ? {} : { products: link.products }),
    metadata: link.metadata,
    provider: link.provider,
    redirectUrl: link.redirectUrl,
    maxPayments: link.maxPayments,
    expiresAt: link.expiresAt?.toISOString() ?? null,
    askName: link.askName,
    askPhone: link.askPhone,
    active: link.active,
    verifiedCount: link.verifiedCount,
    verifiedAmount: numberFromMinor(link.verifiedAmountMinor),
    createdAt: link.createdAt.toISOString(),
  };
}

function minorOf(amount: number | null | undefined): number | null {
  return amount == null ? null : minorFromNumber(amount);
}

function numberOf(minor: number | null): number | null {
  return minor === null ? null : numberFromMinor(minor);
}
