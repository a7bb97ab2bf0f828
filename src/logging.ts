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

/**
 * JSON logs. A request is logged by method and path alone: headers hold credentials, bodies hold phone numbers, and a query
 * may hold both (decisions §8: none of them ever reaches a log).
 */
export function loggerParams(level: LogLevel): Params {
  return {
    pinoHttp: {
      level,
      quietReqLogger: true,
      customLogLevel: (_request, reply, error) =>
        error !== undefined || reply.statusCode >= 500 ? 'error' : 'debug',
      serializers: {
        req: ({ id, method, url }: LoggedRequest) => ({ id, method, path: url.split('?', 1)[0] }),
        res: ({ statusCode }: LoggedReply) => ({ statusCode }),
        err: (error: Error) => ({ type: error.name, message: error.message }),
      },
    },
  };
}
