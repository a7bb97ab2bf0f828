import { ApiProperty, Field, type FieldOptions, Pattern } from '../../platform/http/index.js';

const FOUR_DIGITS = /^[0-9]{4}$/;

/** The last four digits of the payer, by which Bangla QR is matched. */
export function LastFourDigits(options: FieldOptions): PropertyDecorator {
  return Pattern(FOUR_DIGITS, 'must be exactly four digits, as a string', options);
}

export class ProductView {
  @ApiProperty({ example: 'Sonar Tori (hardcover)', maxLength: 300 })
  name!: string;

  @ApiProperty({ example: 1, minimum: 1, type: 'integer' })
  quantity!: number;

  @ApiProperty({ example: 500, minimum: 0 })
  price!: number;
}

/** The merchant's own list of products; `merchantJsonOf` looks at it, since it is given back letter by letter. */
export function Products(options: FieldOptions): PropertyDecorator {
  return Field({ nullable: true, ...options }, { schema: { type: [ProductView], maxItems: 100 }, rules: [] });
}

/** The merchant's own flat object; `merchantJsonOf` looks at it. */
export function Metadata(options: FieldOptions): PropertyDecorator {
  const values = { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] };
  const schema = { type: 'object', additionalProperties: values };
  return Field({ nullable: true, ...options }, { schema, rules: [] });
}
