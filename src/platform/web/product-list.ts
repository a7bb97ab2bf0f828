import { fillText, html, type Markup } from './html.js';
import type { Language } from './language.js';
import { formatAmount, localDigits } from './numerals.js';

/** One line of the order, as far as it could be read. */
export interface ProductLine {
  name: string;
  quantity: string | null;
  /** Price of one, in minor units; null when there is none that can be shown. */
  priceMinor: number | null;
}

/** The interface takes at most 100 (contract 3.2); the page shows no more, whatever was stored. */
const MAX_PRODUCTS = 100;
const MAX_NAME_CHARACTERS = 300;
const MAX_PRICE = 1e12;

/**
 * Products are stored exactly as the merchant sent them, so nothing about their shape is certain here: what can be
 * shown is shown, the rest is left out, and nothing ever fails.
 */
export function readProducts(products: unknown): ProductLine[] {
  if (!Array.isArray(products)) return [];
  return products.slice(0, MAX_PRODUCTS).flatMap((product: unknown) => {
    if (typeof product !== 'object' || product === null) return [];
    const { name, quantity, price } = product as Record<string, unknown>;
    const line = { name: readName(name), quantity: readQuantity(quantity), priceMinor: readPrice(price) };
    return line.name === '' && line.priceMinor === null ? [] : [line];
  });
}

function readName(name: unknown): string {
  if (typeof name === 'number') return String(name);
  return typeof name === 'string' ? name.trim().slice(0, MAX_NAME_CHARACTERS) : '';
}

function readQuantity(quantity: unknown): string | null {
  const number = typeof quantity === 'string' && quantity.trim() !== '' ? Number(quantity) : quantity;
  if (typeof number !== 'number' || !Number.isFinite(number) || number <= 0 || number > MAX_PRICE)
    return null;
  return String(number);
}

function readPrice(price: unknown): number | null {
  const number = typeof price === 'string' && price.trim() !== '' ? Number(price) : price;
  if (typeof number !== 'number' || !Number.isFinite(number) || number < 0 || number > MAX_PRICE) return null;
  return Math.round(number * 100);
}

/** The words of a list of products; `{slots}` are filled here. */
export interface ProductWords {
  readonly quantityTimes: string;
  readonly unnamedProduct: string;
}

export function renderProductLines(
  lines: readonly ProductLine[],
  currency: string,
  language: Language,
  words: ProductWords,
): Markup {
  return html`<ul class="product-list">
    ${lines.map((line) => {
      const price = line.priceMinor === null ? '' : formatAmount(line.priceMinor, currency, language);
      const quantity = line.quantity === null ? '' : localDigits(line.quantity, language);
      const times =
        quantity && price ? fillText(words.quantityTimes, { quantity, price }) : price || quantity;
      return html`<li>
        <span>${line.name || words.unnamedProduct}</span><span class="price">${times}</span>
      </li>`;
    })}
  </ul>`;
}
