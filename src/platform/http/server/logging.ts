import type { FastifyInstance } from 'fastify';
import type { Params } from 'nestjs-pino';
import type { Logger } from 'pino';
import type { LogLevel } from '../../config/index.js';

/** Ids of ours, and words such as our addresses are made of. */
const HARMLESS_SEGMENT =
  /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?!joma_|whsec_)[a-z][a-z0-9._-]{0,39})?$/;

/**
 * The path of an address without its query, and with `*` for each part that does not look like one of ours: users and
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
 * JSON logs. Requests are logged by `registerRequestLog`: the library's own way gives every request a child logger
 * and an asynchronous context, which costs more than the request's own code.
 */
export function loggerParams(level: LogLevel): Params {
  return {
    forRoutes: [],
    pinoHttp: {
      level,
      serializers: { err: (error: Error) => ({ type: error.name, message: error.message }) },
    },
  };
}

/**
 * Logs each answer with method, path, status and time in milliseconds: `debug`, and `error` for what went wrong on
 * our side. By method and path alone: headers hold credentials, bodies hold phone numbers, and a query may hold both
 * (contract 8.21: none of them ever reaches a log).
 */
export function registerRequestLog(fastify: FastifyInstance, logger: Logger): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    const level = reply.statusCode >= 500 ? 'error' : 'debug';
    if (logger.isLevelEnabled(level)) {
      logger[level](
        {
          requestId: request.id,
          method: request.method,
          path: loggablePath(request.url),
          statusCode: reply.statusCode,
          responseTimeMs: Math.round(reply.elapsedTime),
        },
        'request completed',
      );
    }
    done();
  });
}
