import { randomBytes } from 'node:crypto';
import { escapePointer } from './text.js';

/**
 * A piece of JSON that is passed on letter by letter. `JSON.parse` followed by `JSON.stringify` moves integer-like
 * keys to the front and rewrites numbers, but a merchant gets `products` back exactly as given (specification §2.2).
 */
export class RawJson {
  constructor(readonly text: string) {}

  /** Called by `JSON.stringify`; outside `stringifyJson` the parsed value stands in, so nothing is ever lost. */
  toJSON(): unknown {
    if (pieces === null) return JSON.parse(this.text);
    pieces.push(this.text);
    return `${marker}${pieces.length - 1}`;
  }
}

// No caller can know this word, so no string of theirs can be taken for a placeholder.
const marker = `raw-json-${randomBytes(16).toString('hex')}-`;
const placeholder = new RegExp(`"${marker}(\\d+)"`, 'g');
let pieces: string[] | null = null;

/** `JSON.stringify` that writes every `RawJson` inside `value` as it is. */
export function stringifyJson(value: unknown): string {
  const collected: string[] = [];
  pieces = collected;
  let text: string;
  try {
    text = JSON.stringify(value);
  } finally {
    pieces = null;
  }
  if (collected.length === 0) return text;
  return text.replace(placeholder, (_match, index: string) => collected[Number(index)] as string);
}

/**
 * The text of one member of a JSON object, without the blanks between its tokens, or null when the object lacks it.
 * `json` must have been accepted by `JSON.parse` and be an object; of repeated members the last counts, as there.
 */
export function rawMember(json: string, name: string): RawJson | null {
  let found: RawJson | null = null;
  let position = skipBlanks(json, 0) + 1;
  for (;;) {
    position = skipBlanks(json, position);
    if (json[position] !== '"') return found;
    const keyEnd = endOfString(json, position);
    const key = JSON.parse(json.slice(position, keyEnd)) as string;
    const start = skipBlanks(json, skipBlanks(json, keyEnd) + 1);
    const end = endOfValue(json, start);
    if (key === name) found = new RawJson(withoutBlanks(json, start, end));
    position = skipBlanks(json, end);
    if (json[position] !== ',') return found;
    position += 1;
  }
}

/**
 * A JSON object with the values of some of its members replaced, and all else letter by letter. `json` must have been
 * accepted by `JSON.parse` and be an object; replacements are JSON.
 */
export function replaceMembers(json: string, replacements: Readonly<Record<string, string>>): string {
  let text = '';
  let copiedTo = 0;
  let position = skipBlanks(json, 0) + 1;
  for (;;) {
    position = skipBlanks(json, position);
    if (json[position] !== '"') return text + json.slice(copiedTo);
    const keyEnd = endOfString(json, position);
    const key = JSON.parse(json.slice(position, keyEnd)) as string;
    const start = skipBlanks(json, skipBlanks(json, keyEnd) + 1);
    const end = endOfValue(json, start);
    if (Object.hasOwn(replacements, key)) {
      text += json.slice(copiedTo, start) + replacements[key];
      copiedTo = end;
    }
    position = skipBlanks(json, end);
    if (json[position] !== ',') return text + json.slice(copiedTo);
    position += 1;
  }
}

/**
 * The JSON pointer of the first key that an object names a second time, or null when each is there once. `json` must
 * have been accepted by `JSON.parse`.
 */
export function repeatedKey(json: string): string | null {
  const scan: Scan = { json, position: skipBlanks(json, 0), found: [] };
  return findRepeated(scan)
    ? scan.found
        .map((key) => `/${escapePointer(key)}`)
        .reverse()
        .join('')
    : null;
}

/**
 * One walk over a text. What a list of twenty thousand empty lists costs is what each value costs: nothing is made
 * for it.
 */
interface Scan {
  readonly json: string;
  position: number;
  /** Repeated keys, the innermost first. */
  readonly found: string[];
}

function findRepeated(scan: Scan): boolean {
  const { json } = scan;
  const isObject = json[scan.position] === '{';
  if (!isObject && json[scan.position] !== '[') {
    scan.position = endOfValue(json, scan.position);
    return false;
  }
  let seen: Set<string> | null = null;
  scan.position = skipBlanks(json, scan.position + 1);
  for (let index = 0; json[scan.position] !== '}' && json[scan.position] !== ']'; index += 1) {
    let key = '';
    if (isObject) {
      const keyEnd = endOfString(json, scan.position);
      key = JSON.parse(json.slice(scan.position, keyEnd)) as string;
      scan.position = skipBlanks(json, skipBlanks(json, keyEnd) + 1);
      seen ??= new Set();
      if (seen.size === seen.add(key).size) return scan.found.push(key) > 0;
    }
    if (findRepeated(scan)) return scan.found.push(isObject ? key : String(index)) > 0;
    scan.position = skipBlanks(json, scan.position);
    if (json[scan.position] === ',') scan.position = skipBlanks(json, scan.position + 1);
  }
  scan.position += 1;
  return false;
}

function skipBlanks(json: string, position: number): number {
  while (isBlank(json.charCodeAt(position))) position += 1;
  return position;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function endOfString(json: string, start: number): number {
  let position = start + 1;
  while (json[position] !== '"') position += json[position] === '\\' ? 2 : 1;
  return position + 1;
}

function endOfValue(json: string, start: number): number {
  let position = start;
  let depth = 0;
  for (;;) {
    const character = json[position];
    if (character === '"') {
      position = endOfString(json, position);
      if (depth === 0) return position;
      continue;
    }
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      if (depth === 0) return position;
      depth -= 1;
      if (depth === 0) return position + 1;
    } else if (
      depth === 0 &&
      (character === ',' || character === undefined || isBlank(character.charCodeAt(0)))
    ) {
      return position;
    }
    position += 1;
  }
}

function withoutBlanks(json: string, start: number, end: number): string {
  let text = '';
  let copiedTo = start;
  let position = start;
  while (position < end) {
    if (json[position] === '"') {
      position = endOfString(json, position);
    } else if (isBlank(json.charCodeAt(position))) {
      text += json.slice(copiedTo, position);
      position += 1;
      copiedTo = position;
    } else {
      position += 1;
    }
  }
  return text + json.slice(copiedTo, end);
}
