import { Matches } from 'class-validator';
import { ApiProperty } from '@nestjs/swagger';
import { Field, type FieldOptions, MaxCharacters, OneOf, Text } from '../../platform/http/index.js';
import { numberFromMinor } from '../../kernel/money.js';
import type { KnownReceipt } from './day-close.repository.js';
import { STATEMENT_FORMATS, type StatementFormat } from './day-statement.js';
import type { CountedMoney, StoreDay, WalletDay } from './days.service.js';
import { type KnownLine, type UnknownLine, MAX_LISTED } from './reconciliation.service.js';
import { ProviderCode } from '../../stores/index.js';

/** A day of the calendar. */
function Day(options: FieldOptions): PropertyDecorator {
  const rule = Matches(/^\d{4}-\d{2}-\d{2}$/, { message: 'must be a day such as 2026-11-21' });
  return Field({ format: 'date', ...options }, { type: String, rules: [rule] });
}

export class CountedMoneyView {
  @ApiProperty({ type: 'integer', example: 2 })
  count!: number;

  @ApiProperty({ type: Number, example: 1750.5 })
  amount!: number;
}

export class WalletDayView {
  @ApiProperty({ type: String, example: 'bkash', description: '`unknown` where nothing says which it was.' })
  provider!: string;

  @ApiProperty({ type: CountedMoneyView, description: 'Payments, by `verifiedAt`: what was received.' })
  verified!: CountedMoneyView;

  @ApiProperty({ type: CountedMoneyView, description: 'Refunds, by `createdAt`.' })
  refunded!: CountedMoneyView;

  @ApiProperty({ type: CountedMoneyView, description: 'Receipts without a payment, by `receivedAt`.' })
  unclaimed!: CountedMoneyView;

  @ApiProperty({
    type: CountedMoneyView,
    description: 'Payments in review, by `submittedAt`: what came for them.',
  })
  inReview!: CountedMoneyView;
}

export class DayView {
  @ApiProperty({ type: String, format: 'date', example: '2026-11-21' })
  date!: string;

  @ApiProperty({ type: String, example: 'Asia/Dhaka', description: '`STORE_TIME_ZONE`.' })
  timeZone!: string;

  @ApiProperty({
    type: String,
    example: 'BDT',
    description: 'The store’s; other money stands in the statement alone.',
  })
  currency!: string;

  @ApiProperty({ type: [WalletDayView], description: 'Wallets with which something happened.' })
  wallets!: WalletDayView[];
}

export class StatementQuery {
  @OneOf(STATEMENT_FORMATS, { optional: true, default: 'csv' })
  format: StatementFormat = 'csv';
}

export class ReconciliationQuery {
  @ProviderCode({ example: 'bkash', description: 'Whose statement it is.' })
  provider!: string;

  @Text({
    optional: true,
    blank: true,
    description: 'Name of the column with the date, where it is no usual one.',
  })
  @MaxCharacters(100)
  dateColumn?: string;

  @Text({ optional: true, blank: true, description: 'Name of the column with the transaction id.' })
  @MaxCharacters(100)
  trxIdColumn?: string;

  @Text({ optional: true, blank: true, description: 'Name of the column with the amount.' })
  @MaxCharacters(100)
  amountColumn?: string;

  @Day({
    optional: true,
    description:
      'First day for which what is missing is looked for; default: the first day in the statement.',
  })
  from?: string;

  @Day({
    optional: true,
    description: 'Last such day; default: the statement’s last.',
  })
  to?: string;
}

const LINE = {
  type: 'integer',
  example: 2,
  description: 'Line of the statement, the header included.',
} as const;
const ID = { type: String, format: 'uuid', example: '019aa5b1-4c5d-7e6f-9a0b-1c2d3e4f5a6b' } as const;

export class ReconciledLineView {
  @ApiProperty({ type: String, example: 'DIJ3MXAHCJ' })
  trxId!: string;

  @ApiProperty({ type: Number, example: 500, description: 'What the statement says.' })
  amount!: number;

  @ApiProperty({ type: Number, example: 500, description: 'What the receipt says.' })
  receiptAmount!: number;

  @ApiProperty(LINE)
  line!: number;

  @ApiProperty(ID)
  receiptId!: string;

  @ApiProperty({ ...ID, nullable: true, description: 'The payment that holds the receipt.' })
  paymentId!: string | null;
}

export class MissingLineView {
  @ApiProperty({ type: String, example: 'DIJ3MXAHCJ' })
  trxId!: string;

  @ApiProperty({ type: Number, example: 500, description: 'What the receipt says.' })
  amount!: number;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-21T08:20:09.123Z' })
  receivedAt!: string;

  @ApiProperty(ID)
  receiptId!: string;

  @ApiProperty({ ...ID, nullable: true, description: 'The payment that holds the receipt.' })
  paymentId!: string | null;
}

export class UnknownLineView {
  @ApiProperty({ type: String, example: 'DIJ3MXAHCK' })
  trxId!: string;

  @ApiProperty({ type: Number, example: 120, description: 'What the statement says.' })
  amount!: number;

  @ApiProperty(LINE)
  line!: number;

  @ApiProperty({ type: Boolean, example: false, description: 'The statement says this id a second time.' })
  repeated!: boolean;
}

const CUT = { maxItems: MAX_LISTED };
const fullCount = (list: string) => ({
  type: 'integer' as const,
  example: 1,
  description: `How many there are; \`${list}\` ends after 10,000.`,
});

export class ReconciliationView {
  @ApiProperty({ type: [ReconciledLineView], ...CUT, description: 'In both, with the same amount.' })
  matched!: ReconciledLineView[];

  @ApiProperty({
    type: [MissingLineView],
    ...CUT,
    description: 'Ours, of the statement’s days, and not in it.',
  })
  missing!: MissingLineView[];

  @ApiProperty({ type: [ReconciledLineView], ...CUT, description: 'The statement says more than ours.' })
  over!: ReconciledLineView[];

  @ApiProperty({ type: [ReconciledLineView], ...CUT, description: 'The statement says less than ours.' })
  under!: ReconciledLineView[];

  @ApiProperty({ type: [UnknownLineView], ...CUT, description: 'In the statement, and not ours.' })
  unknown!: UnknownLineView[];

  @ApiProperty(fullCount('matched'))
  matchedCount!: number;

  @ApiProperty(fullCount('missing'))
  missingCount!: number;

  @ApiProperty(fullCount('over'))
  overCount!: number;

  @ApiProperty(fullCount('under'))
  underCount!: number;

  @ApiProperty(fullCount('unknown'))
  unknownCount!: number;
}

export function dayView({ wallets, ...day }: StoreDay): DayView {
  return { ...day, wallets: wallets.map(walletDayView) };
}

function walletDayView({ provider, verified, refunded, unclaimed, inReview }: WalletDay): WalletDayView {
  return {
    provider,
    verified: countedMoneyView(verified),
    refunded: countedMoneyView(refunded),
    unclaimed: countedMoneyView(unclaimed),
    inReview: countedMoneyView(inReview),
  };
}

function countedMoneyView({ count, amountMinor }: CountedMoney): CountedMoneyView {
  return { count, amount: numberFromMinor(amountMinor) };
}

export function reconciledLineView({ trxId, amountMinor, line, receipt }: KnownLine): ReconciledLineView {
  return {
    trxId,
    amount: numberFromMinor(amountMinor),
    receiptAmount: numberFromMinor(receipt.amountMinor),
    line,
    receiptId: receipt.id,
    paymentId: receipt.paymentId,
  };
}

export function missingLineView(receipt: KnownReceipt): MissingLineView {
  return {
    trxId: receipt.trxId,
    amount: numberFromMinor(receipt.amountMinor),
    receivedAt: receipt.receivedAt.toISOString(),
    receiptId: receipt.id,
    paymentId: receipt.paymentId,
  };
}

export function unknownLineView({ trxId, amountMinor, line, repeated }: UnknownLine): UnknownLineView {
  return { trxId, amount: numberFromMinor(amountMinor), line, repeated };
}
