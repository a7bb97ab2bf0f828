import { Lots } from './wallet-wordings.js';

/*
 * Requests that are as hostile as their size allows, by lot: what parsers, validators and pages may be slow at, or
 * answer at length. Seeded, so that one that costs too much can be made again.
 */

export interface HostileRequest {
  /** What it is made of, for messages. */
  readonly kind: string;
  /** Behind the path, with its `?`; may be empty. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const KEYS: readonly string[] = [
  '__proto__',
  'constructor',
  'toString',
  'amount',
  'wallets',
  'products',
  'metadata',
  'email',
  'password',
  'trxId',
  'last4digit',
  'payload',
  'data',
  'text',
  'from',
  'a/b~1',
  '',
];

const STRINGS: readonly ((lots: Lots, length: number) => string)[] = [
  (_lots, length) => 'x'.repeat(length),
  (_lots, length) => '\\u0000'.repeat(length / 6),
  (_lots, length) => '\\ud800'.repeat(length / 6),
  (_lots, length) => '\\\\'.repeat(length / 2),
  (_lots, length) => '\\u09b0'.repeat(length / 6),
  (_lots, length) => 'ক'.repeat(length / 3),
  (_lots, length) => 'e\u0301'.repeat(length / 3),
  (_lots, length) => '👩‍👩‍👧'.repeat(length / 18),
  (_lots, length) => ' \\t\\n'.repeat(length / 5),
  (_lots, length) => '<script>&amp;'.repeat(length / 13),
  (_lots, length) => 'a@'.repeat(length / 2),
  (_lots, length) => 'http://a.'.repeat(length / 9),
  (_lots, length) => 'You have received Tk 5 from 01700000001. Ref '.repeat(length / 45),
  (_lots, length) =>
    `You have received Tk 5 from 01700000001. Ref ${'. Fee Tk 0. Balance Tk 9. TrxID ABCDEFGH12 at 11/07/2026 21:4'.repeat(length / 62)}`,
  (_lots, length) => 'nagad.io/x Money Received. Amount: Tk '.repeat(length / 38),
  (_lots, length) => 'Tk1,'.repeat(length / 4),
  (lots, length) => lots.text(length, '0123456789'),
  (lots, length) => lots.text(length, '({[<*+?^$|.]}) \\"'.replace(/["\\]/g, '')),
];

const NUMBERS: readonly ((length: number) => string)[] = [
  (length) => '9'.repeat(Math.min(length, 10_000)),
  (length) => `0.${'1'.repeat(Math.min(length, 10_000))}`,
  () => '1e308',
  () => '-1e-308',
  (length) => `1${'0'.repeat(Math.min(length, 5_000))}e-5000`,
  () => '0.1',
];

const KINDS = [
  'deep',
  'wide',
  'duplicates',
  'long keys',
  'strings',
  'numbers',
  'lists',
  'known fields',
  'blanks',
  'broken',
  'mixed',
] as const;

function key(lots: Lots): string {
  return lots.of(...KEYS, lots.text(8, 'abcdefgh'));
}

/** JSON, or nearly, of about so many bytes. */
function hostileJson(lots: Lots, bytes: number): { kind: string; text: string } {
  const kind = lots.of(...KINDS);
  const text = (length: number) => `"${lots.of(...STRINGS)(lots, Math.max(20, length))}"`;
  const number = (length: number) => lots.of(...NUMBERS)(length);
  const times = (piece: () => string, size: number) => {
    const pieces: string[] = [];
    for (let length = 0; length < size;) {
      const next = piece();
      pieces.push(next);
      length += next.length + 1;
    }
    return pieces.join(',');
  };
  const nested = (depth: number, inner: string, open: () => string) =>
    Array.from({ length: depth }, open).join('') + inner + '}'.repeat(depth);
  const made: Record<(typeof KINDS)[number], () => string> = {
    deep: () =>
      lots.of(
        '['.repeat(bytes),
        nested(
          Math.min(30, lots.below(40)),
          times(() => '[]', bytes / 2),
          () => `{"${key(lots)}":`,
        ),
        '{"a":'.repeat(bytes / 5),
      ),
    wide: () =>
      `{${times(() => `"${lots.text(6, 'abcdefghijklmnopqrstuvwxyz0123456789')}":${lots.of('0', '{}', '[]', 'null')}`, lots.of(9_000, bytes))}}`,
    duplicates: () => `{${times(() => `"${lots.of('amount', 'a', '\\u0061')}":1`, bytes)}}`,
    'long keys': () =>
      nested(
        Math.min(30, Math.floor(bytes / 1_500)),
        `[${times(() => '"\\u0000"', bytes / 3)}]`,
        () => `{"${'k'.repeat(1_000)}":`,
      ),
    strings: () => `{"${key(lots)}":${text(bytes / 2)},"${lots.text(5, 'abc')}":${text(bytes / 3)}}`,
    numbers: () => `{"amount":${number(bytes)},"${key(lots)}":[${times(() => number(40), bytes / 3)}]}`,
    lists: () =>
      `{"${lots.of('wallets', 'products', 'metadata', 'roles')}":[${times(() => lots.of('[]', '{}', 'null', '[[]]', '{"a":{}}', '"\\u0000"'), bytes)}]}`,
    'known fields': () =>
      `{${['email', 'password', 'trxId', 'last4digit', 'provider', 'amount', 'from', 'text', 'refreshToken', 'app', 'kind'].map((name) => `"${name}":${lots.of(text(bytes / 15), number(200), '[]', '{}', 'null', 'true')}`).join(',')}}`,
    blanks: () => `{"a":1${lots.of(' ', '\n', '\t').repeat(bytes)}}`,
    broken: () =>
      lots.of(
        `{"a":"${'x'.repeat(bytes)}`,
        `${'{'.repeat(bytes)}`,
        `[${times(() => '1', bytes)}`,
        `{"a":${'-'.repeat(bytes)}}`,
        `"${'\\'.repeat(bytes)}`,
        '\u0000'.repeat(bytes),
        ' '.repeat(bytes),
      ),
    mixed: () =>
      `{${times(() => `"${key(lots)}${String(lots.below(99))}":${lots.of(text(200), number(60), `[${times(() => '{}', 100)}]`, `{"${key(lots)}":${text(90)}}`)}`, bytes)}}`,
  };
  return { kind, text: made[kind]() };
}

function hostileForm(lots: Lots, bytes: number): string {
  const value = () =>
    lots.of('%00', '%E0%A6%95', '+', '%', '%zz', 'a', encodeURIComponent('<b>'), '%F0%9F%98%80');
  return lots.of(
    () =>
      Array.from({ length: bytes / 4 }, (_one, index) => `k${String(index % 997)}=`)
        .join('&')
        .slice(0, bytes),
    () => `trxId=${value().repeat(bytes / 4)}`.slice(0, bytes),
    () => '&'.repeat(bytes),
    () => '='.repeat(bytes),
    () =>
      Array.from({ length: bytes / 12 }, () => `${lots.of(...KEYS)}=${value()}`)
        .join('&')
        .slice(0, bytes),
    () => `a${'[b]'.repeat(bytes / 3)}=1`,
    () => `email=a%40b.c&password=${'x'.repeat(bytes)}`.slice(0, bytes),
  )();
}

function hostileParts(lots: Lots, bytes: number): string {
  const boundary = 'joma';
  const part = () =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${lots.text(lots.of(1, 500), 'ab')}"${lots.of('', '; filename="a"')}\r\n\r\n${lots.text(20, 'xyz-\r\n')}\r\n`;
  return lots.of(
    () => Array.from({ length: bytes / 120 }, part).join(''),
    () => `--${boundary}\r\n`.repeat(bytes / 8),
    () => `--${boundary}\r\nContent-Disposition: ${'a;'.repeat(bytes / 2)}`,
    () => '\r\n-'.repeat(bytes / 3),
  )();
}

/** Cookies, languages, addresses and other headers that something reads before the body. */
function hostileHeaders(lots: Lots): Record<string, string> {
  const headers: Record<string, string> = {};
  const some: Record<string, () => string> = {
    Cookie: () => lots.of('joma_session=', 'joma_lang=', 'a=', ';', '=') + lots.text(3_000, 'ab=; %"'),
    'Accept-Language': () => 'bn;q=0.1,'.repeat(300),
    'X-Request-Id': () => 'r'.repeat(lots.of(64, 4_000)),
    Authorization: () =>
      `Bearer ${lots.of('a.b.c', `${'a'.repeat(3_000)}.b.c`, '.'.repeat(3_000), `${'eyJhbGciOiJub25lIn0'}.${'e30'}.`)}`,
    'X-Api-Key': () => `joma_sk_${'x'.repeat(lots.of(10, 4_000))}`,
    'X-Webhook-Secret': () => 'y'.repeat(lots.of(10, 4_000)),
    'X-Forwarded-For': () => '1.2.3.4,'.repeat(500),
    Forwarded: () => 'for="[::1]";'.repeat(300),
    'X-Signature': () => 'f'.repeat(lots.of(64, 4_000)),
    'X-Timestamp': () => '9'.repeat(lots.of(10, 4_000)),
    'Idempotency-Key': () => 'i'.repeat(lots.of(255, 4_000)),
    Range: () => `bytes=${'0-1,'.repeat(900)}`,
    'If-None-Match': () => '"a",'.repeat(900),
    'Accept-Encoding': () => 'gzip;q=0,'.repeat(400),
    Accept: () => 'text/html;q=0.1,'.repeat(200),
    Origin: () => `http://${'a.'.repeat(1_500)}`,
    'Content-Encoding': () => lots.of('gzip', 'x'.repeat(2_000), 'gzip,'.repeat(400)),
  };
  for (const name of Object.keys(some)) if (lots.below(5) === 0) headers[name] = some[name]?.() ?? '';
  return headers;
}

/** One request of a seed; bodies of at most `bytes`. */
export function hostileRequest(lots: Lots, bytes: number): HostileRequest {
  const headers = hostileHeaders(lots);
  const query = lots.of(
    () => '',
    () => '',
    ...QUERIES,
  )();
  const size = lots.of(bytes, bytes, 2_000);
  const json = () => hostileJson(lots, size);
  const choice = lots.of('json', 'json', 'json', 'form', 'parts', 'bytes', 'type');
  const of = (kind: string, type: string, body: string): HostileRequest => ({
    kind,
    query,
    headers: { 'Content-Type': type, ...headers },
    body: Buffer.from(body).subarray(0, bytes),
  });
  if (choice === 'form') return of('form', 'application/x-www-form-urlencoded', hostileForm(lots, size));
  if (choice === 'parts') return of('parts', 'multipart/form-data; boundary=joma', hostileParts(lots, size));
  if (choice === 'bytes') return of('bytes', 'application/octet-stream', lots.text(size, '\u0000ÿ\u0080a'));
  const { kind, text } = json();
  if (choice === 'type')
    return of(
      `json ${kind}, typed`,
      lots.of(
        'application/json;'.padEnd(3_000, 'a;'),
        'text/plain',
        'application/json; charset=utf-16',
        'text/csv',
      ),
      text,
    );
  return of(`json ${kind}`, 'application/json', text);
}

const QUERIES: readonly (() => string)[] = [
  () => `?${'limit=1&'.repeat(800)}`,
  () => `?cursor=${'A'.repeat(6_000)}`,
  () => `?status=${'%00'.repeat(1_500)}`,
  () => `?lang=${'bn,'.repeat(1_500)}`,
  () => `?a${'[]'.repeat(2_500)}=1`,
  () => `?next=/dashboard/${'%2F'.repeat(1_500)}`,
  () => `?store=${'0'.repeat(4_000)}&token=${'x'.repeat(2_000)}`,
  () => `?limit=${'9'.repeat(5_000)}`,
];
