import { isTimeZone } from '../../kernel/time-zone.js';
import { settings } from './configuration.js';
import { DEFAULT_DATA_DIR } from './development-secret.js';
import { choice, is, itemsOf, type Kind, setting, text } from './setting.js';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The default of `PORT`; that of `PUBLIC_URL` follows it. */
export const DEFAULT_PORT = 3_000;

const WEB_ADDRESS: Kind<string> = {
  expected: 'an http or https address without query, such as https://pay.example.com',
  parse(value) {
    if (!URL.canParse(value)) return undefined;
    const { protocol, search, hash, username, password, href } = new URL(value);
    const isPlain = search === '' && hash === '' && username === '' && password === '';
    const isWeb = protocol === 'http:' || protocol === 'https:';
    return isPlain && isWeb ? href.replace(/\/+$/, '') : undefined;
  },
};

const SERVICE_NAME: Kind<string> = {
  expected: 'of lower-case letters, digits and hyphens, and not "simulate"',
  parse: (value) => (/^[a-z0-9-]{1,64}$/.test(value) && value !== 'simulate' ? value : undefined),
};

const TIME_ZONE: Kind<string> = {
  expected: 'a time zone of the IANA database, such as Asia/Dhaka',
  parse: (value) => (isTimeZone(value) ? value : undefined),
};

const NAMES: Kind<readonly string[]> = {
  expected: 'names of lower-case letters, digits and hyphens with commas between',
  parse(value) {
    const names = [...new Set(itemsOf(value))];
    return names.every((name) => /^[a-z0-9-]{1,40}$/.test(name)) ? Object.freeze(names) : undefined;
  },
};

/** Settings that several features need. */
export abstract class ServiceSettings extends settings({
  /** True: nothing is generated, nothing secret is printed, private webhook addresses are refused. */
  production: is(
    choice(
      'NODE_ENV',
      ['production', 'development', 'test'],
      'development',
      '`production` generates nothing, prints no secret, and refuses private webhook addresses.',
    ),
    'production',
  ),
  /** Without a slash at the end. */
  publicUrl: setting(
    'PUBLIC_URL',
    'http://localhost:$PORT',
    'Address that payers see: the base of `checkoutUrl`.',
    WEB_ADDRESS,
    { unset: ({ PORT }) => `http://localhost:${PORT?.trim() || DEFAULT_PORT}` },
  ),
  serviceName: setting(
    'SERVICE_NAME',
    'joma',
    'Names the phone’s path, `/api/webhooks/<name>`.',
    SERVICE_NAME,
  ),
  dataDir: text(
    'DATA_DIR',
    DEFAULT_DATA_DIR,
    'Embedded database and generated development secrets. Must be writable when either is used.',
  ),
  storeTimeZone: setting(
    'STORE_TIME_ZONE',
    'Asia/Dhaka',
    'Whose clock and calendar pages, totals and day statements go by; a name as in the IANA database.',
    TIME_ZONE,
  ),
  extensions: setting<readonly string[]>(
    'EXTENSIONS',
    '',
    'Names of extensions to switch on, with commas between.',
    NAMES,
    { shownDefault: 'none' },
  ),
  logLevel: choice(
    'LOG_LEVEL',
    LOG_LEVELS,
    'info',
    '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.',
  ),
}) {}
