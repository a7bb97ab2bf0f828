import { type Kind, setting, settings } from '../config/index.js';
import { NETWORKS } from '../http/index.js';

/** Long enough not to be guessed; what a header can carry. */
const TOKEN: Kind<string> = {
  expected: '8 to 256 visible ASCII characters long',
  parse: (value) => (/^[\x21-\x7e]{8,256}$/.test(value) ? value : undefined),
  secret: true,
};

export abstract class MetricsSettings extends settings({
  metricsAllow: setting(
    'METRICS_ALLOW',
    '',
    'Addresses or networks that may read `/metrics` in production, beside this machine.',
    NETWORKS,
    { shownDefault: 'none' },
  ),
  metricsToken: setting(
    'METRICS_TOKEN',
    null,
    'A bearer token that opens `/metrics` from anywhere; at least 8 characters.',
    TOKEN,
  ),
}) {}
