import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ScheduleModule } from '@nestjs/schedule';
import { TypeOrmModule } from '@nestjs/typeorm';
import { LoggerModule } from 'nestjs-pino';
import { MIGRATIONS } from '../migrations/index.js';
import { accountProblems, AccountsModule, AccountsSettings, SsoSettings } from './accounts/index.js';
import { CheckoutModule } from './checkout/index.js';
import { DashboardModule } from './dashboard/index.js';
import { type Extension, EXTENSIONS, switchOn } from './extensions/index.js';
import { InboundModule, inboundProblems } from './inbound/index.js';
import type { Clock } from './kernel/clock.js';
import { type ProblemCodes, problemsOf } from './kernel/domain-error.js';
import {
  checkWebhookUrl,
  notificationProblems,
  NotificationsModule,
  NotificationsSettings,
  WEBHOOK_TEST_WEBHOOK,
} from './notifications/index.js';
import { linkProblems, PaymentLinksModule } from './payment-links/index.js';
import {
  PAYMENT_REFUNDED_WEBHOOK,
  PAYMENT_STATUSES,
  PAYMENT_VERIFIED_WEBHOOK,
  paymentProblems,
  PaymentsModule,
  PaymentsSettings,
  refundProblems,
  REVIEW_REASONS,
} from './payments/index.js';
import { AuditModule } from './platform/audit/index.js';
import {
  Configuration,
  EncryptionSettings,
  type Environment,
  ServiceSettings,
  type SettingsClass,
} from './platform/config/index.js';
import { PlatformModule } from './platform/config/platform.module.js';
import { DatabaseModule, DatabaseSettings, type MigrationClass } from './platform/database/index.js';
import { EventsModule } from './platform/events/index.js';
import { HealthModule } from './platform/health/health.module.js';
import { HttpModule, httpProblems, HttpSettings } from './platform/http/index.js';
import { createApp } from './platform/http/server/create-app.js';
import { loggerParams } from './platform/http/server/logging.js';
import { type DocumentPart, serveOpenApi } from './platform/openapi/index.js';
import {
  memberProblems,
  storeProblems,
  StoresModule,
  StoresSettings,
  WebhookUrlPolicy,
} from './stores/index.js';
import { BrandSettings } from './platform/web/brand.settings.js';
import { MetricsSettings } from './platform/health/metrics.settings.js';

/** All settings of the core, in the order of docs/settings.md. */
export const SETTINGS: readonly SettingsClass[] = [
  ...[ServiceSettings, HttpSettings, DatabaseSettings, EncryptionSettings, AccountsSettings, SsoSettings],
  ...[StoresSettings, PaymentsSettings, NotificationsSettings, BrandSettings, MetricsSettings],
];

/** @throws ConfigurationError with a line for every variable that is wrong */
export function loadConfiguration(environment: Environment): Configuration {
  return Configuration.read(SETTINGS, environment);
}

/**
 * The contribution of each feature to the OpenAPI document besides its routes: error codes, and webhooks that it
 * sends.
 */
const CORE_DOCUMENT_PARTS: readonly DocumentPart[] = [
  { errorCodes: problemsOf(httpProblems) },
  { errorCodes: problemsOf(accountProblems) },
  { errorCodes: problemsOf({ ...storeProblems, ...memberProblems }) },
  {
    errorCodes: problemsOf({ ...paymentProblems, ...refundProblems }),
    webhookSchemas: [PAYMENT_VERIFIED_WEBHOOK, PAYMENT_REFUNDED_WEBHOOK],
    enums: { PaymentStatus: PAYMENT_STATUSES, ReviewReason: REVIEW_REASONS },
  },
  { errorCodes: problemsOf(linkProblems) },
  { errorCodes: problemsOf(inboundProblems) },
  { errorCodes: problemsOf(notificationProblems), webhookSchemas: [WEBHOOK_TEST_WEBHOOK] },
];

/** Every error code of the core (contract 1.36). Extensions bring their own. */
export const PROBLEM_CODES: ProblemCodes = Object.assign(
  {},
  ...CORE_DOCUMENT_PARTS.map(({ errorCodes }) => errorCodes),
) as ProblemCodes;

/** Names of all extensions, switched on or not. */
export const EXTENSION_NAMES: readonly string[] = EXTENSIONS.map(({ name }) => name);

/** @throws ConfigurationError with one line for everything that is unknown, wrong or taken */
export function extensionsOf(configuration: Configuration): readonly Extension[] {
  const { extensions } = configuration.of(ServiceSettings);
  return switchOn(EXTENSIONS, extensions, configuration.environment, {
    errorCodes: PROBLEM_CODES,
    migrations: MIGRATIONS.map(({ name }) => name),
  });
}

/**
 * The core's migrations, then those of the extensions that are switched on. @throws ConfigurationError as
 * `extensionsOf`
 */
export function migrationsOf(configuration: Configuration): readonly MigrationClass[] {
  return [...MIGRATIONS, ...extensionsOf(configuration).flatMap(({ migrations }) => migrations)];
}

/** The parts of the OpenAPI document. @throws ConfigurationError as `extensionsOf` */
export function documentPartsOf(configuration: Configuration): readonly DocumentPart[] {
  return [...CORE_DOCUMENT_PARTS, ...extensionsOf(configuration)];
}

export interface AppOptions {
  readonly configuration: Configuration;
  /** The database to use: `DATABASE_URL`, or the embedded server's address. */
  readonly databaseUrl: string;
  /** Another time than the database's, for tests. */
  readonly clock?: Clock | undefined;
}

/**
 * Connects interfaces that one feature declares with classes of another feature that it must not import. The class
 * that connects to webhook addresses also decides which addresses a store may name.
 */
@Global()
@Module({
  providers: [
    {
      provide: WebhookUrlPolicy,
      inject: [NotificationsSettings],
      useFactory: ({ webhookAllowPrivate }: NotificationsSettings): WebhookUrlPolicy => ({
        check: (url) => checkWebhookUrl(url, { allowPrivate: webhookAllowPrivate }),
      }),
    },
  ],
  exports: [WebhookUrlPolicy],
})
class PortsModule {}

/** Everything, wired. */
@Module({})
export class AppModule {
  static forRoot({ configuration, databaseUrl, clock }: AppOptions): DynamicModule {
    const { logLevel, serviceName } = configuration.of(ServiceSettings);
    return {
      module: AppModule,
      imports: [
        LoggerModule.forRoot(loggerParams(logLevel)),
        PlatformModule.forRoot(configuration),
        HttpModule,
        DatabaseModule.forRoot(databaseUrl, clock),
        ScheduleModule.forRoot(),
        PortsModule,
        AuditModule,
        AccountsModule,
        StoresModule,
        EventsModule,
        PaymentsModule,
        PaymentLinksModule,
        CheckoutModule,
        InboundModule.forRoot(serviceName),
        NotificationsModule,
        DashboardModule,
        HealthModule,
        ...extensionsOf(configuration).map(({ module, entities = [], pages = [] }) => ({
          module,
          imports: [TypeOrmModule.forFeature([...entities])],
          controllers: [...pages],
        })),
      ],
    };
  }
}

/** Builds and starts the whole application, ready to listen. The database must be migrated. */
export function createJoma(options: AppOptions): Promise<NestFastifyApplication> {
  const { configuration } = options;
  const serveDocument = (app: NestFastifyApplication) =>
    serveOpenApi(app, configuration.of(ServiceSettings), documentPartsOf(configuration));
  return createApp(AppModule.forRoot(options), configuration, serveDocument);
}
