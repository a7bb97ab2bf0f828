import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  IsInt,
  IsISO4217CurrencyCode,
  IsNumber,
  IsOptional,
  IsString,
  IsUUID,
  Matches,
  Min,
} from 'class-validator';
import { IsNotBlank, MaxCharacters } from '../http/index.js';
import { invalidInput, type InputProblem } from '../kernel/domain-error.js';
import { minorFromNumber } from '../kernel/money.js';
import {
  IsInstant,
  IsMoney,
  type NewReceipt,
  normaliseTrxId,
  parseInstant,
  RECEIVED_KIND,
} from '../payments/index.js';
import { PROVIDER_PATTERN } from '../stores/index.js';

const LAST_FOUR = /^[0-9]{4}$/;
const PROVIDER_RULE = { message: 'must be a code of 2 to 20 lower-case letters, digits or _' };
const LAST_FOUR_RULE = { message: 'must be exactly four digits, as a string' };

/** The provider of a Bangla QR receipt that names none (specification §2.3). */
const QR_PROVIDER = 'qr';

/** What stands where a message that is no receipt names no wallet. */
const NO_PROVIDER = 'unknown';

/** A receipt as the phone app sends it (specification §2.3). */
export class InboundReceiptBody {
  @ApiProperty({ example: 'joma-phone', maxLength: 100, description: 'Name of the sending app.' })
  @IsString()
  @IsNotBlank()
  @MaxCharacters(100)
  app!: string;

  @ApiPropertyOptional({
    example: 'bkash',
    description: 'Wallet code; `qr` when left out and `last4digit` is there.',
  })
  @IsOptional()
  @Matches(PROVIDER_PATTERN, PROVIDER_RULE)
  provider?: string | null;

  @ApiProperty({ example: 'received', description: 'Any other kind is stored and ignored.' })
  @IsString()
  @IsNotBlank()
  @MaxCharacters(40)
  kind!: string;

  @ApiPropertyOptional({ example: 'DIJ3MXAHCJ', description: 'Required unless `last4digit` is there.' })
  @IsOptional()
  @IsString()
  trxId?: string | null;

  @ApiProperty({ example: 500 })
  @IsMoney()
  amount!: number;

  @ApiPropertyOptional({
    example: '01700000002',
    maxLength: 64,
    description: 'Required in standard receipts.',
  })
  @IsOptional()
  @IsString()
  @MaxCharacters(64)
  counterparty?: string | null;

  @ApiProperty({ example: '2026-11-21T08:20:09.123Z', format: 'date-time' })
  @IsInstant()
  receivedAt!: string;

  @ApiPropertyOptional({ example: 1504.5, nullable: true, type: Number })
  @IsOptional()
  @IsNumber()
  balance?: number | null;

  @ApiPropertyOptional({ example: 'BDT', description: "The store's currency when left out." })
  @IsOptional()
  @IsISO4217CurrencyCode()
  @Matches(/^[A-Z]{3}$/, { message: 'must be three capital letters' })
  currency?: string | null;

  @ApiPropertyOptional({
    example: '0251',
    description: 'Bangla QR: last four digits of the payer, leading zeros kept.',
  })
  @IsOptional()
  @Matches(LAST_FOUR, LAST_FOUR_RULE)
  last4digit?: string | null;
}

/** A receipt that a person makes up (specification §2.4). */
export class SimulateBody {
  @ApiPropertyOptional({ example: 'bkash', description: '`qr` when left out and `last4digit` is there.' })
  @IsOptional()
  @Matches(PROVIDER_PATTERN, PROVIDER_RULE)
  provider?: string | null;

  @ApiPropertyOptional({ example: 'DIJ3MXAHCJ', description: 'Required unless `last4digit` is there.' })
  @IsOptional()
  @IsString()
  trxId?: string | null;

  @ApiProperty({ example: 500 })
  @IsMoney()
  amount!: number;

  @ApiPropertyOptional({
    example: '01700000002',
    maxLength: 64,
    description: 'Required unless `last4digit` is there.',
  })
  @IsOptional()
  @IsString()
  @MaxCharacters(64)
  sender?: string | null;

  @ApiPropertyOptional({ example: 'in', default: 'in', description: 'Any other type is stored and ignored.' })
  @IsOptional()
  @IsString()
  @IsNotBlank()
  @MaxCharacters(40)
  type?: string | null;

  @ApiPropertyOptional({ format: 'uuid', description: "The caller's only store when left out." })
  @IsOptional()
  @IsUUID()
  storeId?: string | null;

  @ApiPropertyOptional({ example: '0251', description: 'Makes it a Bangla QR receipt.' })
  @IsOptional()
  @Matches(LAST_FOUR, LAST_FOUR_RULE)
  last4digit?: string | null;
}

export class HeartbeatBody {
  @ApiProperty({ example: 'joma-phone', maxLength: 100 })
  @IsString()
  @IsNotBlank()
  @MaxCharacters(100)
  app!: string;

  @ApiPropertyOptional({ example: 87, description: 'Battery in percent.' })
  @IsOptional()
  @IsNumber()
  battery?: number | null;

  @ApiPropertyOptional({ example: 0, minimum: 0, description: 'Receipts the phone has not sent yet.' })
  @IsOptional()
  @IsInt()
  @Min(0)
  pending?: number | null;
}

export class ReceiptResultView {
  @ApiProperty({ format: 'uuid' })
  receiptId!: string;

  @ApiProperty({ enum: ['matched', 'unmatched', 'review', 'duplicate', 'ignored'] })
  status!: 'matched' | 'unmatched' | 'review' | 'duplicate' | 'ignored';

  @ApiPropertyOptional({ format: 'uuid' })
  paymentId?: string;
}

interface Named {
  readonly provider?: string | null | undefined;
  readonly trxId?: string | null | undefined;
  readonly last4digit?: string | null | undefined;
}

/** Fields that both kinds of receipt have, with the rules that bind several of them. */
function identityOf(
  body: Named,
  counterparty: { field: string; value: string | null | undefined },
  kind: string,
): Pick<NewReceipt, 'provider' | 'trxId' | 'last4digit' | 'counterparty'> {
  const last4digit = body.last4digit ?? null;
  const givenTrxId = body.trxId == null || body.trxId.trim() === '' ? null : body.trxId;
  const trxId = givenTrxId === null ? null : normaliseTrxId(givenTrxId);
  const problems: InputProblem[] = [];
  if (givenTrxId !== null && trxId === null) {
    problems.push({
      pointer: '/trxId',
      detail: 'must be 4 to 64 letters, digits, dots, hyphens or underscores',
    });
  }
  // What is no receipt of money is kept as it is; only what could pay something must be whole.
  if (kind === RECEIVED_KIND && last4digit === null) {
    const required = 'is required unless last4digit is there';
    if (givenTrxId === null) problems.push({ pointer: '/trxId', detail: required });
    if (body.provider == null) problems.push({ pointer: '/provider', detail: required });
    if (counterparty.value == null) problems.push({ pointer: `/${counterparty.field}`, detail: required });
  }
  if (problems.length > 0) throw invalidInput(problems);
  const provider = body.provider ?? (last4digit === null ? NO_PROVIDER : QR_PROVIDER);
  return { provider, trxId, last4digit, counterparty: counterparty.value ?? null };
}

/** @throws DomainError `request.invalid` when fields are missing that this kind of receipt needs */
export function receiptFromApp(body: InboundReceiptBody, raw: string): NewReceipt {
  const receivedAt = parseInstant(body.receivedAt);
  const amountMinor = minorFromNumber(body.amount);
  if (receivedAt === null || amountMinor === null) throw new Error('The body has been validated.');
  return {
    ...identityOf(body, { field: 'counterparty', value: body.counterparty }, body.kind),
    source: 'app',
    app: body.app,
    kind: body.kind,
    amountMinor,
    currency: body.currency ?? null,
    // Informative only: a balance that is no amount of ours is kept with the raw body.
    balanceMinor: body.balance == null ? null : minorFromNumber(body.balance, 0),
    receivedAt,
    simulated: false,
    flags: [],
    raw,
  };
}

/** @throws DomainError `request.invalid` when fields are missing that this kind of receipt needs */
export function receiptFromSimulation(body: SimulateBody, raw: string, now: Date): NewReceipt {
  const amountMinor = minorFromNumber(body.amount);
  if (amountMinor === null) throw new Error('The body has been validated.');
  const kind = body.type == null || body.type === 'in' ? RECEIVED_KIND : body.type;
  return {
    ...identityOf(body, { field: 'sender', value: body.sender }, kind),
    source: 'simulate',
    app: 'simulate',
    kind,
    amountMinor,
    currency: null,
    balanceMinor: null,
    receivedAt: now,
    simulated: true,
    flags: [],
    raw,
  };
}
