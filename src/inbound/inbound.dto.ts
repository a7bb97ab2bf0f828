import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  Amount,
  Id,
  Instant,
  Integer,
  MaxCharacters,
  parseInstant,
  Pattern,
  PlainFields,
  Quantity,
  Text,
} from '../platform/http/index.js';
import { invalidInput, type InputProblem } from '../kernel/domain-error.js';
import { minorFromNumber } from '../kernel/money.js';
import { type NewReceipt, RECEIVED_KIND, SENT_KIND } from '../payments/index.js';
import {
  findWallet,
  normaliseTrxId,
  PROVIDER_PATTERN,
  PROVIDER_RULE,
  QR_PROVIDER,
  TRX_ID_RULE,
} from '../wallets/index.js';
import { Currency, LastFourDigits, ProviderCode } from '../stores/index.js';

/**
 * Counts as the arrival (contract 4.57), so that the example is a ticket for an order of the day on which it is
 * tried.
 */
const RECEIVED_AT_EXAMPLE = '2036-11-21T08:20:09.123Z';

/** The provider or kind of a message that is no receipt, if it names none that could be kept. */
const UNKNOWN = 'unknown';

/** `2026-11-21T08:20Z` */
const WITHOUT_SECONDS = /T\d{2}:\d{2}(?:Z|[+-])/i;

/** Phones write codes and kinds in any case (contract 6.14). */
const PROVIDER_IN_ANY_CASE = new RegExp(PROVIDER_PATTERN.source, 'i');

/** The one `type` of a simulated receipt that means money (specification §2.4). */
const MONEY_IN = 'in';

/** A receipt as the phone app sends it (specification §2.3). */
@PlainFields()
export class InboundReceiptBody {
  @Text({ max: 100, example: 'joma-phone', description: 'Name of the sending app.' })
  app!: string;

  @Pattern(PROVIDER_IN_ANY_CASE, PROVIDER_RULE, {
    nullable: true,
    example: 'bkash',
    description: 'Wallet code; `qr` when left out and `last4digit` is there, required otherwise.',
  })
  provider?: string | null;

  @Text({ example: 'received', description: 'Any other kind is stored and ignored.' })
  @MaxCharacters(40)
  kind!: string;

  @Text({ nullable: true, example: 'DIJ3MXAHCJ', description: 'Required unless `last4digit` is there.' })
  trxId?: string | null;

  @Amount({ example: 500 })
  amount!: number;

  @Text({
    nullable: true,
    max: 64,
    example: '01700000002',
    description: 'Sender’s number as the wallet wrote it, masked or not; required in standard receipts.',
  })
  counterparty?: string | null;

  @Instant({ example: RECEIVED_AT_EXAMPLE })
  receivedAt!: string;

  @Quantity({ nullable: true, example: 1504.5, description: 'Of the wallet, after the receipt.' })
  balance?: number | null;

  @Currency({ nullable: true, example: 'BDT', description: "ISO 4217; the store's currency when left out." })
  currency?: string | null;

  @LastFourDigits({
    nullable: true,
    example: '0251',
    description: 'Bangla QR: last four digits of the payer, leading zeros kept.',
  })
  last4digit?: string | null;
}

/** Bodies to try; the first one as it stands. */
export const RECEIPT_EXAMPLES = {
  bkash: {
    summary: 'bKash',
    description: 'Verifies a payment of 500 for which the TrxID has been submitted.',
    value: {
      app: 'joma-phone',
      provider: 'bkash',
      kind: 'received',
      trxId: 'DIJ3MXAHCJ',
      amount: 500,
      counterparty: '01700000002',
      receivedAt: RECEIVED_AT_EXAMPLE,
      balance: 1504.5,
      currency: 'BDT',
    },
  },
  qr: {
    summary: 'Bangla QR',
    description:
      'Put the present time into `receivedAt`: it must lie within three minutes of the submission.',
    value: {
      app: 'joma-phone',
      kind: 'received',
      amount: 500,
      last4digit: '0251',
      receivedAt: RECEIVED_AT_EXAMPLE,
    },
  },
};

/** A receipt that a user makes up (specification §2.4). */
export class SimulateBody {
  @ProviderCode({
    nullable: true,
    example: 'bkash',
    description: '`qr` when left out and `last4digit` is there.',
  })
  provider?: string | null;

  @Text({ nullable: true, example: 'DIJ4SIMUL8', description: 'Required unless `last4digit` is there.' })
  trxId?: string | null;

  @Amount({ example: 500 })
  amount!: number;

  @Text({
    nullable: true,
    max: 64,
    example: '01700000002',
    description: 'Required unless `last4digit` is there.',
  })
  sender?: string | null;

  @Text({
    nullable: true,
    max: 40,
    blank: false,
    example: 'in',
    default: 'in',
    description: 'Any other type is stored and ignored.',
  })
  type?: string | null;

  @Id({
    nullable: true,
    example: '019aa5a1-02f6-7b1d-8a59-6f1f2f6d5a10',
    description: "The caller's only store when left out; required when there are several.",
  })
  storeId?: string | null;

  @LastFourDigits({ nullable: true, example: '0251', description: 'Makes it a Bangla QR receipt.' })
  last4digit?: string | null;
}

/** Bodies to try, each as it stands while the caller has one store; with several, `storeId` says which. */
export const SIMULATE_EXAMPLES = {
  bkash: {
    summary: 'bKash',
    description: 'With several stores, add `storeId`.',
    value: { provider: 'bkash', trxId: 'DIJ4SIMUL8', amount: 500, sender: '01700000002', type: 'in' },
  },
  qr: {
    summary: 'Bangla QR, received now',
    description: 'With several stores, add `storeId`.',
    value: { last4digit: '0251', amount: 500, type: 'in' },
  },
};

export class HeartbeatBody {
  @Text({ max: 100, example: 'joma-phone' })
  app!: string;

  @Quantity({ nullable: true, example: 87, description: 'Battery in percent.' })
  battery?: number | null;

  @Integer({ nullable: true, min: 0, example: 0, description: 'Receipts the phone has not sent yet.' })
  pending?: number | null;

  @Instant({
    nullable: true,
    example: '2026-11-21T08:20:09.123Z',
    description: 'The phone’s clock; when it is wrong by more than 30 s, the times it says are put right.',
  })
  at?: string | null;
}

export class ReceiptResultView {
  @ApiProperty({ format: 'uuid', example: '019aa5b1-4c5d-7e6f-9a0b-1c2d3e4f5a6b' })
  receiptId!: string;

  @ApiProperty({
    enum: ['matched', 'unmatched', 'review', 'duplicate', 'ignored'],
    example: 'matched',
    description:
      '`matched`: it verified a payment; `unmatched`: none waits for it yet; `review`: a user must look; ' +
      '`duplicate`: it has come before, nothing changes; `ignored`: it is no receipt of money.',
  })
  status!: 'matched' | 'unmatched' | 'review' | 'duplicate' | 'ignored';

  @ApiPropertyOptional({ format: 'uuid', example: '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55' })
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
      detail: TRX_ID_RULE,
    });
  }
  // A message that is no receipt is kept as it is; only one that could verify a payment must be complete.
  if (kind === RECEIVED_KIND && last4digit === null) {
    const required = 'is required unless last4digit is there';
    if (givenTrxId === null) problems.push({ pointer: '/trxId', detail: required });
    if (body.provider == null) problems.push({ pointer: '/provider', detail: required });
    if (counterparty.value == null) problems.push({ pointer: `/${counterparty.field}`, detail: required });
  }
  if (problems.length > 0) throw invalidInput(problems);
  const provider = body.provider?.toLowerCase() ?? (last4digit === null ? UNKNOWN : QR_PROVIDER);
  return { provider, trxId, last4digit, counterparty: counterparty.value ?? null };
}

/** @throws DomainError `request.invalid` when fields are missing that this kind of receipt needs */
export function receiptFromApp(body: InboundReceiptBody, raw: string): NewReceipt {
  const receivedAt = parseInstant(body.receivedAt);
  const amountMinor = minorFromNumber(body.amount);
  if (receivedAt === null || amountMinor === null) throw new Error('The body has been validated.');
  const known = [RECEIVED_KIND, SENT_KIND].find((one) => one === body.kind.toLowerCase());
  const kind = known ?? body.kind;
  const { provider, trxId, last4digit, counterparty } = identityOf(
    body,
    { field: 'counterparty', value: body.counterparty },
    kind,
  );
  // Named one by one, for this is asked for each receipt: fields behind a spread cost ten times as much.
  return {
    provider,
    trxId,
    last4digit,
    counterparty,
    source: 'app',
    app: body.app,
    kind,
    amountMinor,
    currency: kind === RECEIVED_KIND ? currencyOf(provider, body.currency) : (body.currency ?? null),
    // Informative only: a balance that is no amount of ours is kept with the raw body.
    balanceMinor: body.balance == null ? null : minorFromNumber(body.balance, 0),
    receivedAt,
    minuteOnly: WITHOUT_SECONDS.test(body.receivedAt),
    byPhoneClock: true,
    simulated: false,
    flags: [],
    raw,
  };
}

/**
 * A wallet that pays in one currency does so whatever the store's currency is (contract 4.22); null: the store's.
 *
 * @throws DomainError `request.invalid` when the receipt names another one
 */
function currencyOf(provider: string, named: string | null | undefined): string | null {
  const currency = findWallet(provider)?.currency ?? null;
  if (currency !== null && named != null && named !== currency) {
    throw invalidInput([
      { pointer: '/currency', detail: `must be ${currency}: ${provider} pays in nothing else` },
    ]);
  }
  return named ?? currency;
}

/** Only `in` is money that came in. The phone's word for that is not one of these types, and must not become it. */
function kindOfSimulated(type: string): string {
  if (type === MONEY_IN) return RECEIVED_KIND;
  return type === RECEIVED_KIND ? UNKNOWN : type;
}

/** @throws DomainError `request.invalid` when fields are missing that this kind of receipt needs */
export function receiptFromSimulation(body: SimulateBody, raw: string, now: Date): NewReceipt {
  const amountMinor = minorFromNumber(body.amount);
  if (amountMinor === null) throw new Error('The body has been validated.');
  const kind = kindOfSimulated(body.type ?? MONEY_IN);
  const identity = identityOf(body, { field: 'sender', value: body.sender }, kind);
  return {
    ...identity,
    source: 'simulate',
    app: 'simulate',
    kind,
    amountMinor,
    currency: currencyOf(identity.provider, null),
    balanceMinor: null,
    receivedAt: now,
    simulated: true,
    flags: [],
    raw,
  };
}
