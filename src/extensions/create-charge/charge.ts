import { invalidInput, type InputProblem } from '../../kernel/domain-error.js';
import { minorFromNumber, numberFromMinor } from '../../kernel/money.js';
import { RawJson, rawMember } from '../../kernel/raw-json.js';
import type { NewPayment, Payment, PaymentStatus } from '../../payments/index.js';

/** The fields of a charge beyond those of its payment. */
export interface Charge {
  readonly fullName: string | null;
  readonly emailAddress: string | null;
  readonly mobileNumber: string | null;
  /** JSON, letter by letter as it came. */
  readonly metadata: string | null;
  readonly webhookUrl: string | null;
}

const ABSENT = 'N/A';
const MAX_URL_CHARACTERS = 2_048;

/** In the words of these clients; `review` waits for a user of the shop, so to them it is still open. */
const STATUS_WORDS: Readonly<Record<PaymentStatus, 'pending' | 'completed' | 'canceled' | 'expired'>> = {
  pending: 'pending',
  submitted: 'pending',
  review: 'pending',
  verified: 'completed',
  cancelled: 'canceled',
  expired: 'expired',
};

/**
 * The charge that a body asks for, in either spelling. Fields that are not known are ignored; an absent one and an
 * empty one are alike.
 *
 * @throws DomainError `request.invalid` naming each wrong field
 */
export function chargeOf(body: object, rawBody: string): { charge: Charge; payment: NewPayment } {
  const fields = new Map(Object.entries(body));
  const problems: InputProblem[] = [];
  const text = (name: string, maximum: number): string | null => {
    const value: unknown = fields.get(name) ?? null;
    if (value === null || value === '') return null;
    if (typeof value === 'string' && [...value].length <= maximum) return value;
    if (typeof value === 'number') return String(value);
    problems.push({ pointer: `/${name}`, detail: `must be a text of at most ${maximum} characters` });
    return null;
  };
  const address = (name: string): string | null => {
    const value = text(name, MAX_URL_CHARACTERS);
    if (value === null || (/^https?:\/\/\S+$/i.test(value) && URL.canParse(value))) return value;
    problems.push({ pointer: `/${name}`, detail: 'must be an http or https address' });
    return null;
  };
  const amount: unknown = fields.get('amount');
  const amountMinor = minorFromNumber(numberOf(amount));
  if (amountMinor === null) {
    const detail = 'must be a number more than 0 and at most 99999999.99, with at most two decimals';
    problems.push({ pointer: '/amount', detail });
  }
  const either = text('email_mobile', 254);
  const isMobile = either !== null && !either.includes('@');
  // An amount that is given twice is ambiguous. Only a form can do that: the parser refuses repeated keys of JSON.
  if (!rawBody.trimStart().startsWith('{') && new URLSearchParams(rawBody).getAll('amount').length > 1)
    problems.push({ pointer: '/amount', detail: 'must be given once' });
  const currency = text('currency', 3)?.toUpperCase() ?? null;
  if (currency !== null && !/^[A-Z]{3}$/.test(currency)) {
    problems.push({ pointer: '/currency', detail: 'must be three letters' });
  }
  const charge: Charge = {
    fullName: text('full_name', 200),
    emailAddress: text('email_address', 254) ?? (isMobile ? null : either),
    mobileNumber: text('mobile_number', 32) ?? (isMobile ? text('email_mobile', 32) : null),
    metadata: metadataOf(fields.get('metadata'), rawBody),
    webhookUrl: address('webhook_url'),
  };
  const payment: NewPayment = {
    amountMinor: amountMinor ?? 1,
    currency: currency ?? undefined,
    customerName: charge.fullName,
    customerPhone: charge.mobileNumber,
    products: null,
    metadata: null,
    redirectUrl: address('return_url') ?? address('redirect_url'),
    cancelUrl: address('cancel_url'),
  };
  if (problems.length > 0) throw invalidInput(problems);
  return { charge, payment };
}

function numberOf(amount: unknown): number {
  if (typeof amount === 'number') return amount;
  return typeof amount === 'string' && /^\d{1,8}(\.\d{1,2})?0*$/.test(amount.trim())
    ? Number(amount)
    : Number.NaN;
}

function metadataOf(value: unknown, rawBody: string): string | null {
  if (value === undefined || value === null) return null;
  return rawBody.trimStart().startsWith('{')
    ? (rawMember(rawBody, 'metadata')?.text ?? null)
    : JSON.stringify(value);
}

/** The one answer and webhook body of a charge (contract 13.37): every value that is not there is `N/A`. */
export function chargeView(charge: Charge, payment: Payment): Record<string, unknown> {
  const amount = numberFromMinor(payment.amountMinor);
  return {
    pp_id: payment.id,
    full_name: charge.fullName ?? ABSENT,
    email_address: charge.emailAddress ?? ABSENT,
    mobile_number: charge.mobileNumber ?? ABSENT,
    gateway: payment.provider ?? ABSENT,
    amount,
    fee: 0,
    discount_amount: 0,
    total: amount,
    local_net_amount: amount,
    currency: payment.currency,
    local_currency: payment.currency,
    metadata: charge.metadata === null ? ABSENT : new RawJson(charge.metadata),
    sender: payment.payerNumber ?? ABSENT,
    transaction_id: payment.trxId ?? ABSENT,
    status: STATUS_WORDS[payment.status],
    date: (payment.verifiedAt ?? payment.createdAt).toISOString(),
  };
}
