import { IsISO4217CurrencyCode, Matches } from 'class-validator';
import { Field, type FieldOptions, Pattern } from '../platform/http/index.js';
import { PROVIDER_PATTERN, PROVIDER_RULE } from '../wallets/index.js';

/** The code of a wallet, known or not. */
export function ProviderCode(options: FieldOptions): PropertyDecorator {
  return Pattern(PROVIDER_PATTERN, PROVIDER_RULE, options);
}

const THREE_CAPITALS = /^[A-Z]{3}$/;

/** A currency of ISO 4217. */
export function Currency(options: FieldOptions): PropertyDecorator {
  return Field(options, {
    type: String,
    schema: { pattern: THREE_CAPITALS.source },
    rules: [IsISO4217CurrencyCode(), Matches(THREE_CAPITALS, { message: 'must be three capital letters' })],
  });
}

const FOUR_DIGITS = /^[0-9]{4}$/;

/** The last four digits of the payer, by which Bangla QR is matched. */
export function LastFourDigits(options: FieldOptions): PropertyDecorator {
  return Pattern(FOUR_DIGITS, 'must be exactly four digits, as a string', options);
}
