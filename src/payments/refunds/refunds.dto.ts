import { ApiProperty } from '@nestjs/swagger';
import { Amount, Instant, NEXT_CURSOR, parseInstant, Text } from '../../platform/http/index.js';
import { invalidInput } from '../../kernel/domain-error.js';
import { minorFromNumber, numberFromMinor } from '../../kernel/money.js';
import { findWallet, normaliseTrxId, TRX_ID_RULE } from '../../wallets/index.js';
import { type Refund, REFUND_STATUSES, type RefundStatus } from './refund.js';
import type { NewRefund } from './refunds.service.js';
import { ProviderCode } from '../../stores/index.js';

const TEXT = { nullable: true, type: String } as const;
const INSTANT = { ...TEXT, format: 'date-time' } as const;

export class RecordRefundBody {
  @Amount({ example: 200, description: 'What went back; of all refunds together at most what came.' })
  amount!: number;

  @Text({ nullable: true, max: 500, example: 'One book was out of stock.' })
  reason?: string | null;

  @ProviderCode({
    nullable: true,
    example: 'bkash',
    description: 'The wallet it went back with; required with `trxId`.',
  })
  provider?: string | null;

  @Text({
    nullable: true,
    example: 'DIJ5RFND01',
    description: 'The TrxID of the wallet’s message about the money sent; one TrxID is one refund.',
  })
  trxId?: string | null;

  @Instant({ nullable: true, example: '2026-11-21T10:00:00.000Z', description: 'When it went back.' })
  sentAt?: string | null;
}

export class RefundView {
  @ApiProperty({ format: 'uuid', example: '019aa5c1-7c1e-7cc3-98f4-2f0d6a1b9c55' })
  id!: string;

  @ApiProperty({ format: 'uuid', example: '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55' })
  paymentId!: string;

  @ApiProperty({ format: 'uuid', example: '019aa5a1-02f6-7b1d-8a59-6f1f2f6d5a10' })
  storeId!: string;

  @ApiProperty({ example: 200 })
  amount!: number;

  @ApiProperty({ example: 'BDT', description: 'The currency the money came in.' })
  currency!: string;

  @ApiProperty({ ...TEXT, example: 'One book was out of stock.' })
  reason!: string | null;

  @ApiProperty({ ...TEXT, example: 'bkash' })
  provider!: string | null;

  @ApiProperty({ ...TEXT, example: 'DIJ5RFND01' })
  trxId!: string | null;

  @ApiProperty({ ...INSTANT, example: '2026-11-21T10:00:00.000Z' })
  sentAt!: string | null;

  @ApiProperty({
    enum: REFUND_STATUSES,
    example: 'recorded',
    description: '`confirmed` when the store’s phone has sent the wallet’s message about it.',
  })
  status!: RefundStatus;

  @ApiProperty({ example: false, description: 'True for a refund of a simulated payment.' })
  simulated!: boolean;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T10:02:11.250Z' })
  createdAt!: string;

  @ApiProperty({ ...INSTANT, example: null })
  confirmedAt!: string | null;
}

export class RefundPage {
  @ApiProperty({ type: [RefundView] })
  data!: RefundView[];

  @ApiProperty({ ...TEXT, example: null, description: NEXT_CURSOR })
  nextCursor!: string | null;
}

/** @throws DomainError `request.invalid` for a TrxID that is none or has no wallet, and for an unknown wallet */
export function newRefundOf(body: RecordRefundBody): NewRefund {
  const amountMinor = minorFromNumber(body.amount);
  if (amountMinor === null) throw new Error('The amount has been validated.');
  const trxId = body.trxId == null ? null : normaliseTrxId(body.trxId);
  if (body.trxId != null && trxId === null) {
    throw invalidInput([{ pointer: '/trxId', detail: TRX_ID_RULE }]);
  }
  if (trxId !== null && body.provider == null)
    throw invalidInput([{ pointer: '/provider', detail: 'is required with trxId' }]);
  if (body.provider != null && findWallet(body.provider) === null)
    throw invalidInput([{ pointer: '/provider', detail: 'must be the code of a known wallet' }]);
  return {
    amountMinor,
    reason: body.reason ?? null,
    provider: body.provider ?? null,
    trxId,
    sentAt: parseInstant(body.sentAt),
  };
}

export function refundView(refund: Refund): RefundView {
  return {
    id: refund.id,
    paymentId: refund.paymentId,
    storeId: refund.storeId,
    amount: numberFromMinor(refund.amountMinor),
    currency: refund.currency,
    reason: refund.reason,
    provider: refund.provider,
    trxId: refund.trxId,
    sentAt: refund.sentAt?.toISOString() ?? null,
    status: refund.status,
    simulated: refund.simulated,
    createdAt: refund.createdAt.toISOString(),
    confirmedAt: refund.confirmedAt?.toISOString() ?? null,
  };
}
