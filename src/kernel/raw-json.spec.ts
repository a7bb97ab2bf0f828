import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RawJson, rawMember, repeatedKey, stringifyJson } from './raw-json.js';

describe('rawMember', () => {
  it('keeps key order and the spelling of numbers, which JSON.parse does not', () => {
    const body = '{"a":1, "products" : [ {"10":1, "2": 1.50, "big":12345678901234567890, "e":1e2} ] , "z":2}';
    expect(rawMember(body, 'products')?.text).toBe('[{"10":1,"2":1.50,"big":12345678901234567890,"e":1e2}]');
  });

  it('takes the last of repeated members, as JSON.parse does', () => {
    expect(rawMember('{"products":[1],"products":[2]}', 'products')?.text).toBe('[2]');
  });

  it('knows a member by its meaning, not its spelling', () => {
    expect(rawMember(String.raw`{"pro\u0064ucts":[1]}`, 'products')?.text).toBe('[1]');
  });

  it('is not misled by strings or by nested members of that name', () => {
    expect(rawMember(String.raw`{"note":"\"products\":[9]","m":{"products":[8]}}`, 'products')).toBeNull();
    expect(rawMember('{}', 'products')).toBeNull();
    expect(rawMember(' { "products" : true }', 'products')?.text).toBe('true');
    expect(rawMember('{"products":5}', 'products')?.text).toBe('5');
  });

  it('knows every blank that JSON has', () => {
    expect(rawMember('\t{\r\n"products"\t:\r[\t1\r,\n 2 ]\t}', 'products')?.text).toBe('[1,2]');
    expect(rawMember('{"products":1\t,"z":2}', 'products')?.text).toBe('1');
    expect(rawMember('{"products":1\r}', 'products')?.text).toBe('1');
  });

  it('agrees with JSON.parse on every value, however it is spaced', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.constantFrom(0, 1, 2), (wanted, other, indent) => {
        const body = JSON.stringify({ before: other, products: wanted, after: other }, null, indent);
        expect(rawMember(body, 'products')?.text).toBe(JSON.stringify(wanted));
      }),
    );
  });
});

describe('repeatedKey', () => {
  it.each([
    ['{}', null],
    ['[]', null],
    ['"a"', null],
    ['{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}', null],
    ['{"a":"a\\"a\\",","b":":{"}', null],
    [' { "a" : 1 , "a" : 2 } ', '/a'],
    ['{"a":1,"\\u0061":2}', '/a'],
    ['{"__proto__":1,"__proto__":2}', '/__proto__'],
    ['{"x":[0,{"a/b~":[],"c":{},"a/b~":[]}]}', '/x/1/a~1b~0'],
    ['[[],[{"":1,"":2}]]', '/1/0/'],
  ])('%s', (json, pointer) => {
    expect(repeatedKey(json)).toBe(pointer);
  });

  it('finds nothing in what was written from a value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
        expect(repeatedKey(JSON.stringify(value, null, indent))).toBeNull();
      }),
    );
  });
});

describe('stringifyJson', () => {
  it('writes raw pieces as they are, at any depth', () => {
    const value = {
      data: [{ id: 1, products: new RawJson('[{"2":1.0,"1":2}]') }, { products: new RawJson('[]') }],
    };
    expect(stringifyJson(value)).toBe('{"data":[{"id":1,"products":[{"2":1.0,"1":2}]},{"products":[]}]}');
  });

  it('leaves replacement patterns in raw text alone', () => {
    expect(stringifyJson({ a: new RawJson('["$&","$1"]') })).toBe('{"a":["$&","$1"]}');
  });

  it('takes no text of a caller for a raw piece', () => {
    const value = { raw: new RawJson('[1]'), note: '0', products: ['0', '1', 'raw-json-0'] };
    expect(stringifyJson(value)).toBe('{"raw":[1],"note":"0","products":["0","1","raw-json-0"]}');
  });

  it('leaves nothing behind, even when it fails', () => {
    const unwritable = { raw: new RawJson('[1]'), big: 1n };
    expect(stringifyJson({ raw: new RawJson('[1]') })).toBe('{"raw":[1]}');
    expect(JSON.stringify(new RawJson('[2]'))).toBe('[2]');
    expect(() => stringifyJson(unwritable)).toThrow(TypeError);
    expect(JSON.stringify(new RawJson('[3]'))).toBe('[3]');
  });

  it('is JSON.stringify where there is nothing raw', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(stringifyJson(value)).toBe(JSON.stringify(value));
      }),
    );
  });

  it('keeps the value when somebody else serialises it', () => {
    expect(JSON.stringify({ a: new RawJson('[1]') })).toBe('{"a":[1]}');
  });
});
