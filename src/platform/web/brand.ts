/*
 * An operator's accent colour. Inline styles are refused by the page's content security policy, so the colour comes
 * as a small stylesheet of its own, which overrides custom properties of web.css.
 */

const HEX_COLOUR = /^#[0-9a-f]{6}$/i;
const READABLE_CONTRAST = 4.5;
/** The least contrasting backgrounds of web.css in each theme. */
const LIGHT_PAGE = '#eaf0ec';
const DARK_PAGE = '#18201d';
const WHITE = '#ffffff';
const BLACK = '#000000';
const MIXING_STEPS = 20;

/** How an operator makes our pages its own; everything else is the custom properties at the top of web.css. */
export interface Brand {
  /** Stands in the footer instead of the product's name. */
  readonly name?: string | null | undefined;
  /** Accent colour as `#rrggbb`; comes from the stylesheet of `brandStylesheet`, never from inline styles. */
  readonly colour?: string | null | undefined;
  /** An image on this server (`img-src 'self'`), shown beside the shop's name. */
  readonly logoUrl?: string | null | undefined;
}

/**
 * Where the stylesheet of a colour is expected to be served, or null when the colour is none.
 *
 * @param base where the page's assets are served, such as `/pay/assets`
 */
export function brandStylesheetPath(base: string, colour: string | null | undefined): string | null {
  return colour && HEX_COLOUR.test(colour) ? `${base}/brand-${colour.slice(1).toLowerCase()}.css` : null;
}

/**
 * The stylesheet for an accent colour `#rrggbb`, null for anything else. Where the colour itself cannot be read on the
 * page, or text on it, a darker or lighter one is taken: a brand never costs a reader the contrast of WCAG 2.2 AA.
 */
export function brandStylesheet(colour: string): string | null {
  if (!HEX_COLOUR.test(colour)) return null;
  const light = readableOn(LIGHT_PAGE, colour);
  const dark = readableOn(DARK_PAGE, colour);
  return `:root{${accent(light)}}\n@media (prefers-color-scheme:dark){:root{${accent(dark)}}}\n`;
}

function accent(colour: string): string {
  const ink = contrastRatio(colour, WHITE) >= READABLE_CONTRAST ? WHITE : BLACK;
  return `--accent:${colour};--accent-ink:${ink}`;
}

function readableOn(background: string, colour: string): string {
  const towards = contrastRatio(background, BLACK) > contrastRatio(background, WHITE) ? BLACK : WHITE;
  for (let step = 0; step <= MIXING_STEPS; step += 1) {
    const candidate = mix(colour, towards, step / MIXING_STEPS);
    if (contrastRatio(candidate, background) >= READABLE_CONTRAST) return candidate;
  }
  return towards;
}

function mix(from: string, to: string, share: number): string {
  const target = channels(to);
  const mixed = channels(from).map((value, index) =>
    Math.round(value + ((target[index] ?? 0) - value) * share),
  );
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

/** Contrast of two colours `#rrggbb`, 1 to 21 (WCAG 2.2, relative luminance). */
export function contrastRatio(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channels(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}
