import { ANY_TEXT, setting, settings } from '../config/index.js';

const MAX_NAME_CHARACTERS = 60;

/** How an operator makes the payers' pages its own. */
export abstract class BrandSettings extends settings({
  brandName: setting(
    'CHECKOUT_BRAND_NAME',
    null,
    'Stands in the footer of the checkout page; at most 60 characters.',
    {
      expected: `at most ${MAX_NAME_CHARACTERS} characters long`,
      parse: (value) => ([...value].length <= MAX_NAME_CHARACTERS ? value : undefined),
    },
  ),
  /** Made darker or lighter where it could not be read. */
  brandColour: setting(
    'CHECKOUT_BRAND_COLOUR',
    null,
    'Accent colour of the checkout page, `#rrggbb`; contrast is kept.',
    {
      expected: 'a colour such as #0b6b4f',
      parse: (value) => (/^#[0-9a-f]{6}$/i.test(value) ? value.toLowerCase() : undefined),
    },
  ),
  brandLogoFile: setting(
    'CHECKOUT_BRAND_LOGO',
    null,
    'A picture file of at most 20 KiB, shown beside the shop’s name.',
    ANY_TEXT,
  ),
}) {}
