import { ApiProperty } from '@nestjs/swagger';
import { NEXT_CURSOR, OneOf, PageQuery } from '../../platform/http/index.js';
import { numberFromMinor } from '../../kernel/money.js';
import {
  type Receipt,
  RECEIPT_SOURCES,
  RECEIPT_STATUSES,
  type ReceiptSource,
  type ReceiptStatus,
} from './receipt.js';

const TEXT = { nullable: true, type: String } as const;

export class ReceiptQuery extends PageQuery {
  @OneOf(RECEIPT_STATUSES, { optional: true, description: 'In this state only.' })
  status?: ReceiptStatus;
}

export class ReceiptView {
  @ApiProperty({ format: 'uuid', example: '019aa5b1-4c5d-7e6f-9a0b-1c2d3e4f5a6b' })
  id!: string;

  @ApiProperty({ format: 'uuid', example: '019aa5a1-02f6-7b1d-8a59-6f1f2f6d5a10' })
  storeId!: string;

  @ApiProperty({ enum: RECEIPT_STATUSES, example: 'matched' })
  status!: ReceiptStatus;

  @ApiProperty({ enum: RECEIPT_SOURCES, example: 'app' })
  source!: ReceiptSource;

  @ApiProperty({ example: 'joma-phone' })
  app!: string;

  @ApiProperty({ example: 'bkash' })
  provider!: string;

  @ApiProperty({ example: 'received' })
  kind!: string;

  @ApiProperty({ ...TEXT, example: 'DIJ3MXAHCJ' })
  trxId!: string | null;

  @ApiProperty({ ...TEXT, pattern: '^[0-9]{4}$', example: null })
  last4digit!: string | null;

  @ApiProperty({ example: 500 })
  amount!: number;

  @ApiProperty({ example: 'BDT' })
  currency!: string;

  @ApiProperty({ ...TEXT, example: '01700000002', description: 'As the wallet wrote it, masked or not.' })
  counterparty!: string | null;

  @ApiProperty({ nullable: true, type: Number, example: 1504.5 })
  balance!: number | null;

  @ApiProperty({
    format: 'date-time',
    example: '2026-11-21T08:20:09.123Z',
    description: 'When the money came, as the phone says.',
  })
  receivedAt!: string;

  @ApiProperty({
    format: 'date-time',
    example: '2026-11-21T08:20:09.411Z',
    description: 'When the message reached this service.',
  })
  arrivedAt!: string;

  @ApiProperty({ example: false })
  simulated!: boolean;

  @ApiProperty({
    ...TEXT,
    format: 'uuid',
    example: '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55',
    description: 'The payment that it is attached to.',
  })
  paymentId!: string | null;

  @ApiProperty({ type: [String], example: [], description: 'Marks of a doubtful message.' })
  flags!: readonly string[];

  @ApiProperty({
    example: '{"app":"joma-phone","provider":"bkash","kind":"received","trxId":"DIJ3MXAHCJ","amount":500}',
    description: 'The body as it came.',
  })
  raw!: string;
}

export class ReceiptPage {
  @ApiProperty({ type: [ReceiptView] })
  data!: ReceiptView[];

  @ApiProperty({ ...TEXT, example: null, description: NEXT_CURSOR })
  nextCursor!: string | null;
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
