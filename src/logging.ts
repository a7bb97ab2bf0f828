import { RequestMethod } from '@nestjs/common';
import type { Params } from 'nestjs-pino';
import type { LogLevel } from './config/index.js';

interface LoggedRequest {
  readonly id: unknown;
  readonly method: string;
  readonly url: string;
}

interface LoggedReply {
  readonly statusCode: number;
}

/** Ids of ours, and words such as our addresses are made of. */
const HARMLESS_SEGMENT =
  /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?!joma_|whsec_)[a-z][a-z0-9._-]{0,39})?$/;

/**
 * The path of an address without its query, and with `*` for each part that does not look like one of ours: people and
 * programs put keys and phone numbers into addresses, and a 404 is logged like anything else.
 */
export function loggablePath(url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  return path
    .split('/')
    .map((segment) => (HARMLESS_SEGMENT.test(segment) ? segment : '*'))
    .join('/');
}

/**
 * JSON logs. A request is logged by method and path alone: headers hold credentials, bodies hold phone numbers, and a query
 * may hold both (decisions §8: none of them ever reaches a log).
 */
export function loggerParams(level: LogLevel): Params {
  return {
    // The default pattern begins with a brace that Nest takes for a slash, and then matches nothing but "/".
    forRoutes: [{ path: '{*path}', method: RequestMethod.ALL }],
    pinoHttp: {
      level,
      quietReqLogger: true,
      customLogLevel: (_request, reply, error) =>
        error !== undefined || reply.statusCode >= 500 ? 'error' : 'debug',
      serializers: {
        req: ({ id, method, url }: LoggedRequest) => ({ id, method, path: loggablePath(url) }),
        res: ({ statusCode }: LoggedReply) => ({ statusCode }),
        err: (error: Error) => ({ type: error.name, message: error.message }),
      },
    },
  };
}
