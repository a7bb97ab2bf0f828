import { isIP } from 'node:net';
import {
  DEFAULT_PORT,
  duration,
  integer,
  list,
  rateLimit,
  setting,
  settings,
  text,
} from '../config/index.js';

/** Addresses, or networks such as `10.0.0.0/8`. */
export const NETWORKS = list(
  'addresses or networks with commas between, such as 127.0.0.1,10.0.0.0/8',
  (item) => (isNetwork(item) ? item : undefined),
);

function isNetwork(value: string): boolean {
  const [address = '', bits, ...rest] = value.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

export abstract class HttpSettings extends settings({
  host: text('HOST', '127.0.0.1', 'Address to listen on; in the image `0.0.0.0`.'),
  /** 0 lets the system choose one. */
  port: integer('PORT', DEFAULT_PORT, 'Port to listen on.', [0, 65_535]),
  trustProxy: setting(
    'TRUST_PROXY',
    '',
    'Addresses or networks of the proxies in front, with commas between; their `X-Forwarded-For` is believed.',
    NETWORKS,
    { shownDefault: 'none' },
  ),
  /** More are not accepted. */
  maxConnections: integer('MAX_CONNECTIONS', 10_000, 'Connections that may be open at once.', [1, 1_000_000]),
  shutdownDelayMs: duration(
    'SHUTDOWN_DELAY',
    '0s',
    'How long requests are still accepted after SIGTERM, while `/health/ready` is 503. Behind a load balancer set `5s`: with `0s`, a request that a client sends on an idle connection at that instant is lost.',
    0,
  ),
  rateLimitPublic: rateLimit(
    'RATE_LIMIT_PUBLIC',
    '60/1m',
    'Payers, refresh, sign-out: per replica, address and payment, ten times that per address; `off`: none.',
  ),
}) {}
