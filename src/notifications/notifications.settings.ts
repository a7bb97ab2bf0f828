import { parseDurationMs } from '../kernel/duration.js';
import {
  duration,
  durationOrOff,
  isProduction,
  type Kind,
  oneOf,
  setting,
  settings,
  TRUE_OR_FALSE,
} from '../platform/config/index.js';

const MAX_STEPS = 50;

const SCHEDULE: Kind<readonly number[]> = {
  expected: `at most ${MAX_STEPS} durations with commas between, such as 5s,30s,2m`,
  parse(value) {
    const steps = value.split(',').map(parseDurationMs);
    return steps.length <= MAX_STEPS && steps.every((step) => step !== null)
      ? Object.freeze(steps)
      : undefined;
  },
};

/** Between the commit and the POST, or between the POST's answer and writing it down. */
export const FAULT_POINTS = ['after-commit', 'after-post'] as const;
export type FaultPoint = (typeof FAULT_POINTS)[number];

const AT_LEAST_AN_HOUR = { leastMs: 3_600_000, expected: 'a duration of at least 1h' };

export abstract class NotificationsSettings extends settings(
  {
    webhookTimeoutMs: duration(
      'WEBHOOK_TIMEOUT',
      '8s',
      'The whole exchange with a merchant, from before the name look-up.',
      10,
    ),
    /** n steps for n + 1 attempts. */
    webhookRetryScheduleMs: setting(
      'WEBHOOK_RETRY_SCHEDULE',
      '5s,30s,2m,5m,15m,30m,1h,2h,4h,8h,12h,12h,24h',
      'Waits between attempts.',
      SCHEDULE,
    ),
    webhookAllowPrivate: setting(
      'WEBHOOK_ALLOW_PRIVATE',
      'true',
      'Lets webhooks go to private addresses.',
      TRUE_OR_FALSE,
      {
        shownDefault: '`true` outside production',
        unset: (environment) => !isProduction(environment),
      },
    ),
    retentionAttemptsMs: durationOrOff(
      'RETENTION_ATTEMPTS',
      '30d',
      'How long attempts to deliver are kept; `off` keeps them.',
      AT_LEAST_AN_HOUR,
    ),
    retentionBodiesMs: durationOrOff(
      'RETENTION_BODIES',
      '90d',
      'How long bodies of delivered events are kept; `off` keeps them.',
      AT_LEAST_AN_HOUR,
    ),
    /** Where this process kills itself while delivering. */
    faultPoint: setting(
      'FAULT_POINT',
      null,
      'For tests of a crash: the process kills itself there while it delivers. Refused in production.',
      oneOf(FAULT_POINTS),
    ),
  },
  ({ faultPoint }, environment) =>
    faultPoint !== null && isProduction(environment)
      ? [`FAULT_POINT must be unset in production, where it would end the process, but is "${faultPoint}".`]
      : [],
) {}
