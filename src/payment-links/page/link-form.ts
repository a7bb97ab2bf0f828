import { createHash } from 'node:crypto';
import { minorFromNumber, type MinorUnits } from '../../kernel/money.js';
import { characterCount } from '../../kernel/text.js';
import { latinDigits, typedNumber } from '../../platform/web/numerals.js';
import { type PaymentLink, takesAmount } from '../payment-link.js';
import type { LinkProblem } from './link-words.js';

/*
 * Reads what a payer typed into the form of a link's page.
 */

const MAX_TYPED_CHARACTERS = 2_000;
const MAX_NAME_CHARACTERS = 200;

const TOKEN = /^[A-Za-z0-9_-]{16,64}$/;
const AMOUNT = /^\d{1,8}(?:\.\d{1,2})?$/;
const PHONE = /^\+?\d[\d\s()-]{4,30}$/;

/** The input of a form, to be shown again. */
export interface TypedLinkForm {
  readonly amount: string;
  readonly name: string;
  readonly phone: string;
}

export type LinkField = keyof TypedLinkForm;
export type LinkProblems = Partial<Record<LinkField, LinkProblem>>;

export type ReadLinkForm =
  | {
      readonly readable: true;
      readonly order: {
        readonly formKey: string;
        readonly amountMinor: MinorUnits;
        readonly customerName: string | null;
        readonly customerPhone: string | null;
      };
    }
  | { readonly readable: false; readonly typed: TypedLinkForm; readonly problems: LinkProblems };

/**
 * The order in the fields of `POST /l/:slug` (`form`, `amount`, `name`, `phone`), or what is wrong with each of them.
 *
 * `newKey` gives a key of its own to a form that was sent without the token of a page: such a one is never the same
 * as another.
 */
export function readLinkForm(
  fields: unknown,
  link: Pick<PaymentLink, 'amountMinor' | 'minAmountMinor' | 'maxAmountMinor' | 'askName' | 'askPhone'>,
  newKey: () => string,
): ReadLinkForm {
  const typed: TypedLinkForm = {
    amount: textField(fields, 'amount'),
    name: link.askName ? textField(fields, 'name') : '',
    phone: link.askPhone ? latinDigits(textField(fields, 'phone')) : '',
  };
  const amount = link.amountMinor ?? readAmount(typed.amount);
  const problems: LinkProblems = {
    ...(typeof amount === 'string' ? { amount } : {}),
    ...(typeof amount === 'number' && !takesAmount(link, amount) ? { amount: 'amount.range' } : {}),
    ...(link.askName ? nameProblem(typed.name) : {}),
    ...(link.askPhone ? phoneProblem(typed.phone) : {}),
  };
  if (typeof amount === 'string' || Object.keys(problems).length > 0)
    return { readable: false, typed, problems };
  const token = textField(fields, 'form');
  const content = [TOKEN.test(token) ? token : newKey(), amount, typed.name, typed.phone];
  return {
    readable: true,
    order: {
      formKey: createHash('sha256').update(JSON.stringify(content)).digest('base64url'),
      amountMinor: amount,
      customerName: typed.name === '' ? null : typed.name,
      customerPhone: typed.phone === '' ? null : typed.phone,
    },
  };
}

/** Minor units in what was typed: Bangla digits, a sign of the currency, blanks and grouping are fine. */
export function readAmount(typed: string): MinorUnits | LinkProblem {
  if (typed === '') return 'amount.missing';
  const plain = typedNumber(typed);
  if (!AMOUNT.test(plain)) return 'amount.unreadable';
  return minorFromNumber(Number(plain)) ?? 'amount.unreadable';
}

function nameProblem(name: string): LinkProblems {
  if (name === '') return { name: 'name.missing' };
  return characterCount(name) > MAX_NAME_CHARACTERS ? { name: 'name.long' } : {};
}

function phoneProblem(phone: string): LinkProblems {
  if (phone === '') return { phone: 'phone.missing' };
  return PHONE.test(phone) ? {} : { phone: 'phone.unreadable' };
}

/** One line of text: control characters become blanks, halves of characters are replaced. */
function textField(fields: unknown, name: string): string {
  if (typeof fields !== 'object' || fields === null || !Object.hasOwn(fields, name)) return '';
  const value: unknown = (fields as Record<string, unknown>)[name];
  if (typeof value !== 'string') return '';
  return value
    .slice(0, MAX_TYPED_CHARACTERS)
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
}
