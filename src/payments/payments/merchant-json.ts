import type { InputProblem } from '../../kernel/domain-error.js';
import { characterCount, escapePointer } from '../../kernel/text.js';
import { ApiProperty } from '@nestjs/swagger';
import { Field, type FieldOptions } from '../../platform/http/index.js';

const MAX_PRODUCTS = 100;
const MAX_PRODUCT_NAME_CHARACTERS = 300;
const MAX_PRICE = 99_999_999.99;
const MAX_METADATA_KEYS = 20;
const MAX_METADATA_KEY_CHARACTERS = 40;
const MAX_METADATA_VALUE_CHARACTERS = 500;

/**
 * The problems of `products` (contract 3.3): at most 100 items with a name, a whole quantity of at least 1 and a
 * price of at least 0. Further keys are the merchant's own, and come back as they are.
 */
export function productsProblems(products: unknown): InputProblem[] {
  const pointer = '/products';
  if (!Array.isArray(products)) return [{ pointer, detail: 'must be an array' }];
  if (products.length > MAX_PRODUCTS)
    return [{ pointer, detail: `must not hold more than ${MAX_PRODUCTS} items` }];
  return products.flatMap((product: unknown, index) => productProblems(product, `${pointer}/${index}`));
}

function productProblems(product: unknown, pointer: string): InputProblem[] {
  if (!isPlainObject(product)) return [{ pointer, detail: 'must be an object' }];
  const problems: InputProblem[] = [];
  const { name, quantity, price } = product;
  if (typeof name !== 'string' || characterCount(name) > MAX_PRODUCT_NAME_CHARACTERS) {
    problems.push({
      pointer: `${pointer}/name`,
      detail: `must be a text of at most ${MAX_PRODUCT_NAME_CHARACTERS} characters`,
    });
  }
  if (!Number.isSafeInteger(quantity) || (quantity as number) < 1) {
    problems.push({ pointer: `${pointer}/quantity`, detail: 'must be a whole number of at least 1' });
  }
  if (typeof price !== 'number' || !(price >= 0 && price <= MAX_PRICE)) {
    problems.push({ pointer: `${pointer}/price`, detail: `must be a number from 0 to ${MAX_PRICE}` });
  }
  return problems;
}

/** The faults of `metadata` (contract 3.5): a flat object of at most 20 keys. */
export function metadataProblems(metadata: unknown): InputProblem[] {
  const pointer = '/metadata';
  if (!isPlainObject(metadata)) return [{ pointer, detail: 'must be an object' }];
  const submissions = Object.entries(metadata);
  if (submissions.length > MAX_METADATA_KEYS)
    return [{ pointer, detail: `must not hold more than ${MAX_METADATA_KEYS} keys` }];
  return submissions.flatMap(([key, value]) => {
    const at = `${pointer}/${escapePointer(key)}`;
    if (characterCount(key) > MAX_METADATA_KEY_CHARACTERS) {
      return [
        { pointer: at, detail: `must not have a key longer than ${MAX_METADATA_KEY_CHARACTERS} characters` },
      ];
    }
    return isMetadataValue(value)
      ? []
      : [
          {
            pointer: at,
            detail: `must be a number, true, false, or a text of at most ${MAX_METADATA_VALUE_CHARACTERS} characters`,
          },
        ];
  });
}

/** The database cannot index longer numbers, nor exponents of four digits and more. */
const MAX_NUMBER_CHARACTERS = 500;
const BEYOND_NUMBERS = new RegExp(`[eE][+-]?[0-9]{4,}|[0-9.eE+-]{${MAX_NUMBER_CHARACTERS + 1},}`);

/** Problems of the text of `metadata` that its parsed values do not show: numbers that are too long. */
export function metadataTextProblems(text: string): InputProblem[] {
  const withoutTexts = text.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  if (!BEYOND_NUMBERS.test(withoutTexts)) return [];
  return [
    { pointer: '/metadata', detail: `must hold no number of more than ${MAX_NUMBER_CHARACTERS} characters` },
  ];
}

function isMetadataValue(value: unknown): boolean {
  if (typeof value === 'string') return characterCount(value) <= MAX_METADATA_VALUE_CHARACTERS;
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

export class ProductView {
  @ApiProperty({ example: 'Sonar Tori (hardcover)', maxLength: MAX_PRODUCT_NAME_CHARACTERS })
  name!: string;

  @ApiProperty({ example: 1, minimum: 1, type: 'integer' })
  quantity!: number;

  @ApiProperty({ example: 500, minimum: 0 })
  price!: number;
}

/** The merchant's own list of products; `productsProblems` looks at it, since it is given back letter by letter. */
export function Products(options: FieldOptions): PropertyDecorator {
  return Field(
    { nullable: true, ...options },
    { schema: { type: [ProductView], maxItems: MAX_PRODUCTS }, rules: [] },
  );
}

/** The merchant's own flat object; `merchantJsonOf` looks at it. */
export function Metadata(options: FieldOptions): PropertyDecorator {
  const values = { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] };
  const schema = { type: 'object', additionalProperties: values };
  return Field({ nullable: true, ...options }, { schema, rules: [] });
}
