import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Logger, PinoLogger } from 'nestjs-pino';
import { registerSecurityHeaders } from './security-headers.js';
import {
  AllowedMethods,
  answerMalformedRequest,
  failureOf,
  MAX_BODY_BYTES,
  ProblemFilter,
  Refusals,
  Stopping,
  registerBodyParsers,
  registerMalformedRequests,
  readBodiesLast,
  registerPublicCors,
  requestIdOf,
  sendProblem,
  ServerConnections,
  strictValidation,
} from '../index.js';
import { stringifyJson } from '../../../kernel/raw-json.js';
import { registerRequestLog } from './logging.js';
import { type Configuration, ServiceSettings } from '../../config/index.js';
import { HttpSettings } from '../http.settings.js';

/**
 * How long a client may take to send a whole request, in milliseconds. This is for the largest uploads; other bodies
 * have 30 s (`request-body.ts`).
 */
const REQUEST_TIMEOUT_MS = 120_000;

/** How long it may take to send the head of one, and how often connections are looked at for both. */
const HEADERS_TIMEOUT_MS = 10_000;
const TIMEOUT_CHECK_INTERVAL_MS = 2_000;

/** Ids, codes and names in paths are short; what is longer names nothing here. */
const MAX_PARAMETER_CHARACTERS = 256;

/**
 * Bodies are declared by classes here, not by Fastify's schemas; said so that its two compilers for them are not even
 * read. A route that brings a schema is a defect, and the start says so.
 */
function noSchemas(): never {
  throw new Error('A route brought a Fastify schema: declare a class for class-validator instead.');
}

/**
 * Builds and starts an application of `module`, ready to listen.
 *
 * @param addRoutes adds routes that no controller has, before the start
 */
export async function createApp(
  module: DynamicModule,
  configuration: Configuration,
  addRoutes: (app: NestFastifyApplication) => void,
): Promise<NestFastifyApplication> {
  const settings = configuration.of(HttpSettings);
  const allowedMethods = new AllowedMethods();
  const connections = new ServerConnections();
  const adapter = new FastifyAdapter({
    genReqId: requestIdOf,
    requestIdHeader: false,
    trustProxy: settings.trustProxy.length > 0 ? [...settings.trustProxy] : false,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
      // Node would refuse such a request without a word; `registerMalformedRequests` refuses it with some.
      requireHostHeader: false,
    },
    clientErrorHandler: (error, socket) =>
      answerMalformedRequest(error, socket, connections.responseOf(socket)),
    forceCloseConnections: 'idle',
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    routerOptions: { maxParamLength: MAX_PARAMETER_CHARACTERS },
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
      sendProblem(request, reply, failureOf(error)),
  });
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    bodyParser: false,
    abortOnError: false,
    // Two hundred lines about modules and routes help nobody; what goes wrong is said, and thrown.
    logger: ['fatal', 'error', 'warn'],
  });
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  connections.watch(fastify);
  allowedMethods.observe(fastify);
  registerBodyParsers(fastify);
  registerSecurityHeaders(fastify, configuration.of(ServiceSettings));
  registerMalformedRequests(fastify);
  connections.closeWith(app.get(Stopping), fastify);
  connections.limit(fastify, settings);
  registerPublicCors(fastify);
  registerRequestLog(fastify, PinoLogger.root);
  fastify.setReplySerializer((payload) => stringifyJson(payload));
  app.useGlobalFilters(new ProblemFilter(allowedMethods, app.get(Refusals)));
  readBodiesLast(app);
  app.useGlobalPipes(strictValidation());
  addRoutes(app);
  closeHttpFirst(app, fastify);
  await app.init();
  app.useLogger(app.get(Logger));
  return app;
}

/**
 * Closes HTTP before the modules (contract 8.33). When deliveries are handed back, no request is running, and all that
 * requests have committed is in the database.
 */
function closeHttpFirst(app: NestFastifyApplication, fastify: FastifyInstance): void {
  const close = app.close.bind(app);
  app.close = async () => {
    await fastify.close();
    await close();
  };
}
