import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PlainFields, Text } from '../platform/http/index.js';
import { invalidInput } from '../kernel/domain-error.js';
import { numberFromMinor } from '../kernel/money.js';
import type { RawJson } from '../kernel/raw-json.js';
import {
  type Payment,
  PAYMENT_STATUSES,
  type PaymentStatus,
  REVIEW_REASONS,
  type ReviewReason,
  type Submission,
} from '../payments/index.js';
import { LastFourDigits, ProviderCode, type Store } from '../stores/index.js';
import {
  ACCOUNT_TYPES,
  type AccountType,
  findWallet,
  normaliseTrxId,
  readTypedTrxId,
  TRX_ID_RULE,
} from '../wallets/index.js';

@PlainFields()
export class VerifyBody {
  @Text({
    nullable: true,
    example: 'DIJ3MXAHCJ',
    description: 'The TrxID of the wallet message; blanks and lower case do not matter.',
  })
  trxId?: string | null;

  @LastFourDigits({
    nullable: true,
    example: '0251',
    description: 'Bangla QR: the last four digits, as a string.',
  })
  last4digit?: string | null;

  @ProviderCode({ nullable: true, example: 'bkash', description: 'The wallet that was paid with.' })
  provider?: string | null;
}

/** Bodies to try, each as it stands; a body holds either `trxId` or `last4digit`. */
export const VERIFY_EXAMPLES = {
  trxId: { summary: 'A TrxID', value: { trxId: 'DIJ3MXAHCJ', provider: 'bkash' } },
  qr: { summary: 'Bangla QR: the last four digits', value: { last4digit: '0251' } },
  simulated: { summary: 'The TrxID of the simulated receipt', value: { trxId: 'DIJ4SIMUL8' } },
};

export class VerifyResultView {
  @ApiProperty({ enum: ['submitted', 'verified', 'review'], example: 'verified' })
  status!: PaymentStatus;

  @ApiPropertyOptional({
    format: 'date-time',
    example: '2026-11-21T08:20:09.123Z',
    description: 'When verified.',
  })
  verifiedAt?: string;

  @ApiPropertyOptional({
    nullable: true,
    type: String,
    example: 'https://shop.example.com/thanks',
    description: 'When verified.',
  })
  redirectUrl?: string | null;

  @ApiPropertyOptional({ enum: REVIEW_REASONS, nullable: true, type: String, description: 'When in review.' })
  reviewReason?: ReviewReason | null;
}

export class PublicWalletView {
  @ApiProperty({ example: 'bkash' })
  provider!: string;

  @ApiProperty({ example: 'bKash' })
  name!: string;

  @ApiProperty({ example: '01700000001', nullable: true, type: String })
  number!: string | null;

  @ApiProperty({ enum: ACCOUNT_TYPES, example: 'personal' })
  accountType!: AccountType;

  @ApiPropertyOptional({ description: 'Bangla QR (EMVCo) payload; left out when the wallet has none.' })
  qrPayload?: string;
}

export class SubmittedView {
  @ApiPropertyOptional({ example: 'DIJ3MXAHCJ' })
  trxId?: string;

  @ApiPropertyOptional({ example: '0251', pattern: '^[0-9]{4}$' })
  last4digit?: string;
}

export class PublicPaymentView {
  @ApiProperty({ format: 'uuid', example: '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55' })
  id!: string;

  @ApiProperty({ enum: PAYMENT_STATUSES, example: 'pending' })
  status!: PaymentStatus;

  @ApiPropertyOptional({ enum: REVIEW_REASONS, description: 'Only in review.' })
  reviewReason?: ReviewReason;

  @ApiProperty({ example: 500, description: 'What the merchant asked.' })
  amount!: number;

  @ApiProperty({
    example: 500,
    description: 'What the payer is to send: `amount`, or with `uniqueAmounts` 0.01 to 0.99 more.',
  })
  payAmount!: number;

  @ApiProperty({ example: 'BDT' })
  currency!: string;

  @ApiProperty({ example: 'Dhaka Books' })
  storeName!: string;

  @ApiProperty({ nullable: true, type: String, example: 'Order 1001' })
  note!: string | null;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    example: [{ name: 'Sonar Tori (hardcover)', quantity: 1, price: 500, sku: 'BK-17' }],
    description: 'Exactly as given when the payment was created; left out when none were.',
  })
  products?: RawJson;

  @ApiProperty({ type: [PublicWalletView] })
  wallets!: PublicWalletView[];

  @ApiProperty({ type: SubmittedView, nullable: true })
  submitted!: SubmittedView | null;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T09:15:00.000Z' })
  expiresAt!: string;

  @ApiProperty({
    format: 'date-time',
    example: '2026-11-21T08:15:02.250Z',
    description: 'For the countdown.',
  })
  serverTime!: string;

  @ApiPropertyOptional({ format: 'date-time', description: 'Only when verified.' })
  verifiedAt?: string;

  @ApiPropertyOptional({ nullable: true, type: String, description: 'Only when verified.' })
  redirectUrl?: string | null;

  @ApiPropertyOptional({ example: 200, description: 'What went back of it; only when something did.' })
  refundedAmount?: number;

  @ApiProperty({ nullable: true, type: String, example: 'https://shop.example.com/cart' })
  cancelUrl!: string | null;
}

/** @throws DomainError `request.invalid` unless the body names exactly one of `trxId` and `last4digit` */
export function submissionOf(body: VerifyBody): Submission {
  const provider = body.provider ?? null;
  if ((body.trxId == null) === (body.last4digit == null)) {
    throw invalidInput([{ pointer: '', detail: 'must hold either trxId or last4digit' }]);
  }
  if (body.last4digit != null) return { kind: 'last4digit', last4digit: body.last4digit, provider };
  const trxId = normaliseTrxId(readTypedTrxId(body.trxId ?? ''));
  if (trxId === null) {
    throw invalidInput([{ pointer: '/trxId', detail: TRX_ID_RULE }]);
  }
  return { kind: 'trx_id', trxId, provider };
}

/** The wallets that the page offers: the enabled ones of the store, or the one that the merchant asked for. */
export function walletsOf(payment: Payment, store: Store): PublicWalletView[] {
  // Nobody sees what is sent there now, and the number may be another store's already.
  if (store.archivedAt !== null) return [];
  return store.wallets
    .filter((wallet) => wallet.enabled)
    .filter((wallet) => payment.requestedProvider === null || wallet.provider === payment.requestedProvider)
    .map(({ provider, number, accountType, qrPayload }) => ({
      provider,
      name: findWallet(provider)?.names.en ?? provider,
      number,
      accountType,
      ...(qrPayload === null ? {} : { qrPayload }),
    }));
}

/** Never the customer's phone, the payer's number, metadata or a secret (contract 5.7). */
export function publicPaymentView(payment: Payment, store: Store, now: Date): PublicPaymentView {
  return {
    id: payment.id,
    status: payment.status,
    ...(payment.status === 'review' && payment.reviewReason !== null
      ? { reviewReason: payment.reviewReason }
      : {}),
    amount: numberFromMinor(payment.amountMinor),
    payAmount: numberFromMinor(payment.payAmountMinor),
    currency: payment.currency,
    storeName: store.name,
    note: payment.note,
    ...(payment.products === null ? {} : { products: payment.products }),
    wallets: walletsOf(payment, store),
    submitted: submittedView(payment.submission),
    expiresAt: payment.expiresAt.toISOString(),
    serverTime: now.toISOString(),
    ...(payment.verifiedAt === null
      ? {}
      : { verifiedAt: payment.verifiedAt.toISOString(), redirectUrl: payment.redirectUrl }),
    ...(payment.refundedAmountMinor === 0
      ? {}
      : { refundedAmount: numberFromMinor(payment.refundedAmountMinor) }),
    cancelUrl: payment.cancelUrl,
  };
}

export function submittedView(submission: Submission | null): SubmittedView | null {
  if (submission === null) return null;
  return submission.kind === 'trx_id' ? { trxId: submission.trxId } : { last4digit: submission.last4digit };
}

/** The state of a payment in the form of the answer to a submission (contract 5.12). */
export function verifyResultView(payment: Payment): VerifyResultView {
  if (payment.verifiedAt !== null) {
    return {
      status: 'verified',
      verifiedAt: payment.verifiedAt.toISOString(),
      redirectUrl: payment.redirectUrl,
    };
  }
  if (payment.status === 'review') return { status: 'review', reviewReason: payment.reviewReason };
  return { status: payment.status };
}
