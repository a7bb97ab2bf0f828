/**
 * HTML that is escaped by construction: the only way to get markup is the `html` tag, and whatever is put into it
 * is escaped unless it is markup itself. Attribute values must stand in double quotes, and nothing may be put
 * inside a tag's name, an attribute's name, a script or a style (our pages have neither of the last two).
 */
export class Markup {
  constructor(private readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

/** A value between `${` and `}`; null, undefined and false print nothing. */
export type Printable = Markup | string | number | null | undefined | false | readonly Printable[];

export function html(parts: TemplateStringsArray, ...values: readonly Printable[]): Markup {
  const literals = withoutIndentation(parts);
  let text = literals[0] ?? '';
  for (let index = 0; index < values.length; index += 1) text += print(values[index]) + literals[index + 1]!;
  return new Markup(text);
}

const UNINDENTED = new WeakMap<TemplateStringsArray, readonly string[]>();

/** The source's indentation is for its readers and not worth sending; values keep theirs. */
function withoutIndentation(parts: TemplateStringsArray): readonly string[] {
  let literals = UNINDENTED.get(parts);
  if (!literals) {
    literals = parts.map((part) => part.replace(/\n\s*/g, '\n'));
    UNINDENTED.set(parts, literals);
  }
  return literals;
}

/** Markup without any content. */
export const NOTHING = html``;

/** Puts markup into the `{slots}` of a sentence; the sentence itself and plain values are escaped. */
export function fillSlots(sentence: string, slots: Readonly<Record<string, Printable>>): Markup {
  return html`${piecesOf(sentence).map((piece, index) => (index % 2 === 0 ? piece : slots[piece]))}`;
}

/** The same for plain text, such as a title or a label. */
export function fillText(sentence: string, slots: Readonly<Record<string, string>>): string {
  const pieces = piecesOf(sentence);
  let text = pieces[0]!;
  for (let index = 1; index < pieces.length; index += 2)
    text += (slots[pieces[index]!] ?? '') + pieces[index + 1]!;
  return text;
}

/** There are some hundred sentences, in words that never change. */
const MAX_KNOWN_SENTENCES = 2_000;
const PIECES = new Map<string, readonly string[]>();

/** A sentence between its slots, and the names of the slots at each second place. */
function piecesOf(sentence: string): readonly string[] {
  const known = PIECES.get(sentence);
  if (known !== undefined) return known;
  const pieces = sentence.split(/\{([a-z]+)\}/i);
  if (PIECES.size >= MAX_KNOWN_SENTENCES) PIECES.clear();
  PIECES.set(sentence, pieces);
  return pieces;
}

function print(value: Printable): string {
  if (value instanceof Markup) return value.toString();
  if (isList(value)) return value.map(print).join('');
  if (value === null || value === undefined || value === false) return '';
  return escapeHtml(String(value));
}

function isList(value: Printable): value is readonly Printable[] {
  return Array.isArray(value);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Whatever is escaped in one way or another; half of a pair may stand alone. Most of what is printed has none of it.
 */
const TO_BE_ESCAPED =
  /[&<>"'\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F\u202A-\u202E\u2066-\u2069\uD800-\uDFFF]/;

/**
 * Escapes for text and for attribute values in quotes. Control characters that HTML forbids, and lone surrogates,
 * become U+FFFD; direction overrides become nothing, so that a name cannot turn the text around it.
 */
export function escapeHtml(text: string): string {
  if (!TO_BE_ESCAPED.test(text)) return text;
  return text
    .toWellFormed()
    .replace(/[\u202A-\u202E\u2066-\u2069]/g, '')
    .replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/g, '\uFFFD')
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** The address when it is absolute and http(s), else null: no `javascript:` ever becomes a link. */
export function webAddress(candidate: string | null | undefined): string | null {
  if (!candidate || !URL.canParse(candidate)) return null;
  const url = new URL(candidate);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : null;
}
