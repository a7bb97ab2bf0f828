import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VerifyBody } from '../../src/checkout/checkout.dto.js';
import { InboundReceiptBody, RECEIPT_EXAMPLES } from '../../src/inbound/inbound.dto.js';
import { CREATE_PAYMENT_EXAMPLES, CreatePaymentBody } from '../../src/payments/payments/payments.dto.js';
import { CompiledValidation } from '../../src/platform/http/bodies/compiled-validation.js';

/*
 * Rules: none: compiled validation decides as class-validator does.
 *
 * Goal: the bodies that say `@PlainFields()` have none that class-transformer would change, and mean the same compiled
 * as by class-validator. Method: their examples with one field after the other replaced by something else.
 */

const BODIES = [
  [CreatePaymentBody, CREATE_PAYMENT_EXAMPLES.order.value],
  [InboundReceiptBody, RECEIPT_EXAMPLES.bkash.value],
  [VerifyBody, { trxId: 'DIJ3MXAHCJ', provider: 'bkash' }],
] as const;

const anything = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    undefined,
    true,
    '',
    ' ',
    ' Padded ',
    'UPPER',
    '007',
    0,
    7,
    1.5,
    {},
    [],
    ['a'],
    { a: 1 },
  ),
  fc.string(),
  fc.double(),
);

describe.each(BODIES)('%o', (type, example) => {
  it('is decided by the compiled rules as by class-validator, and changed by neither', () => {
    const compiled = CompiledValidation.of<object>(type);
    const fields = fc.constantFrom(...Object.keys(example), ...['currency', 'last4digit', 'unknown']);
    fc.assert(
      fc.property(fc.dictionary(fields, anything, { maxKeys: 3 }), (changes) => {
        const value = { ...example, ...changes };
        const instance = plainToInstance<object, object>(type, value);
        const options = { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: true };
        const expected = validateSync(instance, options).length === 0 ? instance : null;
        expect(compiled?.accept(value, { ignoreUnknown: false })).toEqual(expected);
        if (expected !== null) expect({ ...expected }).toEqual(value);
      }),
      { numRuns: 1_000 },
    );
  });
});
