import { bigText, integer, table, text } from '../../platform/database/index.js';

/** Table `rate_limits`, in the form rate-limiter-flexible reads and writes. Keys are keyed digests. */
export const RATE_LIMITS = table('rate_limits', {
  key: text('key').key(),
  points: integer('points').withDefault(0),
  /** End of the window, in milliseconds since 1970; text, because a bigint does not fit a number. */
  expire: bigText('expire').orNull(),
});
