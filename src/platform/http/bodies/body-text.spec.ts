import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DomainError, type InputProblem } from '../../../kernel/domain-error.js';
import { parseJson } from './body-text.js';
import { MAX_BODY_BYTES } from './request-body.js';

/*
 * Rules: contract 1.16, 1.19, 14.4.
 *
 * Goal: a body is read as JSON exactly, or refused with the reason before any of our code sees it: size, type,
 * encoding, depth, members, text that cannot be stored, keys that reach a prototype (contract 1.16 and 14.6). Method:
 * the parser alone on bytes.
 */

const parse = (body: string | Buffer) => {
  const request: { rawBody?: string } = {};
  const value = parseJson(request, Buffer.from(body));
  return { value, rawBody: request.rawBody };
};

/** Why a body is refused: the code, the places, and what is said of the whole when no place is to blame. */
const refusal = (
  body: string | Buffer,
): { code: string; errors?: readonly InputProblem[]; message?: string } => {
  try {
    parse(body);
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind !== 'invalid') throw error;
    if (error.errors !== undefined) return { code: error.code, errors: error.errors };
    expect(error.cause).toBeInstanceOf(Error);
    return { code: error.code, message: error.message };
  }
  throw new Error('The body was taken.');
};

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('parseJson', () => {
  it('takes an empty body for none', () => {
    expect(parse('')).toEqual({ value: undefined, rawBody: undefined });
  });

  it('keeps the text as it came', () => {
    const body = ' {"b": 1.50, "a": "\\u09b0"}\n';
    expect(parse(body)).toEqual({ value: { b: 1.5, a: 'র' }, rawBody: body });
  });

  it('reads what JSON.parse reads', () => {
    const indent = fc.constantFrom(0, 1);
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4, stringUnit: 'grapheme-ascii' }), indent, (value, space) => {
        const body = JSON.stringify(value, null, space);
        // fast-check likes such keys, which are refused.
        fc.pre(!/"(?:__proto__|constructor|prototype)"/.test(body));
        expect(parse(body)).toEqual({ value: JSON.parse(body) as unknown, rawBody: body });
      }),
    );
  });

  it.each(['{', '{"a":1,}', "{'a':1}", 'undefined', '{"a":NaN}', ' ', '{"a":"\u0000"}', '1 2'])(
    'refuses %j, which is not JSON',
    (body) => {
      expect(refusal(body)).toEqual({
        code: 'request.malformed_json',
        message: 'The body is not valid JSON.',
      });
    },
  );

  it.each([
    ['a lone byte', [0x22, 0xff, 0x22]],
    ['an overlong NUL', [0x22, 0xc0, 0x80, 0x22]],
    ['half of a character', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a character that is cut off', [0x22, 0xe0, 0xa6]],
    ['UTF-16', [0xff, 0xfe, 0x31, 0x00]],
  ])('refuses %s, which is not UTF-8', (_what, bytes) => {
    expect(refusal(Buffer.from(bytes))).toEqual({
      code: 'request.malformed_json',
      message: 'The body is not UTF-8.',
    });
  });

  it('takes 32 levels and refuses 33, counting brackets of both kinds but not those in text', () => {
    const problem = { pointer: '', detail: 'must not be nested deeper than 32 levels' };
    expect(parse(nested(32)).value).toBeInstanceOf(Array);
    expect(refusal(nested(33))).toEqual({ code: 'request.invalid', errors: [problem] });
    expect(parse('{"a":'.repeat(32) + '1' + '}'.repeat(32)).value).toBeInstanceOf(Object);
    expect(refusal('{"a":'.repeat(33) + '1' + '}'.repeat(33)).errors).toEqual([problem]);
    const sideBySide = (item: string) => `[${Array.from({ length: 50 }, () => item).join(',')}]`;
    expect(parse(sideBySide(nested(31))).value).toHaveLength(50);
    expect(parse(sideBySide('{}')).value).toHaveLength(50);
    const inText = JSON.stringify({ a: '['.repeat(100), b: `"${'{'.repeat(100)}\\`, c: '\\"['.repeat(40) });
    expect(parse(inText).rawBody).toBe(inText);
    expect(refusal(`{"a":"\\\\","b":${nested(32)}}`).errors).toEqual([problem]);
  });

  it('refuses depth before it parses: even what is no JSON, and as much of it as a body holds', () => {
    expect(refusal('['.repeat(MAX_BODY_BYTES)).code).toBe('request.invalid');
  });

  it('points at every text that cannot be stored', () => {
    const body = String.raw`{"note":"a\u0000","products":[{"name":"\ud83d"},{"name":"\ud83d\ude00"}],"a/b":"\udc00"}`;
    const detail = 'must not hold NUL or half of a surrogate pair';
    expect(refusal(body)).toEqual({
      code: 'request.invalid',
      errors: ['/note', '/products/0/name', '/a~1b'].map((pointer) => ({ pointer, detail })),
    });
  });

  it('lets a backslash before "u0000" be what it is', () => {
    const body = String.raw`{"note":"\\u0000 and \\ud83d"}`;
    expect(parse(body).value).toEqual({ note: String.raw`\u0000 and \ud83d` });
  });

  it.each([
    ['{"__proto__":{"admin":true}}', '/__proto__'],
    ['{"constructor":1}', '/constructor'],
    ['{"prototype":1}', '/prototype'],
    ['{"products":[{"a":1},{"x":{"__proto__":1}}]}', '/products/1/x/__proto__'],
    [String.raw`{"\u005f_proto__":1}`, '/__proto__'],
    [String.raw`{"_\u005fproto__":1, "\u0061":2}`, '/__proto__'],
  ])('refuses %s', (body, pointer) => {
    expect(refusal(body)).toEqual({
      code: 'request.invalid',
      errors: [{ pointer, detail: 'is not an allowed key' }],
    });
  });

  it('lets such words be values, and parts of keys', () => {
    const body = '{"note":"__proto__","name":["constructor"],"constructors":1,"my__proto__":null}';
    expect(parse(body).rawBody).toBe(body);
  });

  it('takes an object of 1,000 members and refuses more, wherever it stands', () => {
    const object = (members: number) =>
      `{${Array.from({ length: members }, (_, index) => `"k${index}":0`).join(',')}}`;
    expect(parse(`[${object(1_000)},${object(1_000)}]`).value).toHaveLength(2);
    expect(refusal(`{"a":[0,${object(1_001)}]}`).errors).toEqual([
      { pointer: '/a/1', detail: 'must not have more than 1000 members' },
    ]);
  });

  it('says little about much: 50 places, 256 characters each, and never 64 KiB', () => {
    const bomb = (key: string) =>
      `{"${key}":`.repeat(30) +
      `[${Array.from({ length: 3_600 }, () => '"\\u0000"').join(',')}]` +
      '}'.repeat(30);
    for (const key of [
      'k'.repeat(1_000),
      String.raw`\u0001`.repeat(170),
      '~'.repeat(1_000),
      '😀'.repeat(250),
    ]) {
      const { errors = [] } = refusal(bomb(key));
      expect(errors.length).toBeGreaterThan(10);
      expect(errors.length).toBeLessThanOrEqual(50);
      for (const { pointer } of errors) expect(pointer.length).toBeLessThanOrEqual(256);
      expect(Buffer.byteLength(JSON.stringify(errors))).toBeLessThan(48 * 1024);
    }
  });
});
