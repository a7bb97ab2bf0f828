import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { TypeOrmModule } from '@nestjs/typeorm';
import { LoggerModule } from 'nestjs-pino';
import { AccountsModule } from './accounts/index.js';
import { AuditModule } from './audit/index.js';
import { CheckoutModule } from './checkout/index.js';
import { Configuration } from './config/index.js';
import { PlatformModule } from './config/platform.module.js';
import { DashboardModule } from './dashboard/index.js';
import { DatabaseModule } from './database/index.js';
import { EXTENSION_NAMES, extensionsOf } from './extensions/index.js';
import { HealthModule } from './health/health.module.js';
import { HttpModule } from './http/index.js';
import { InboundModule } from './inbound/index.js';
import type { Clock } from './kernel/clock.js';
import { loggerParams } from './logging.js';
import { checkWebhookUrl, NotificationsModule } from './notifications/index.js';
import { EventsModule } from './events/index.js';
import { PaymentLinksModule } from './payment-links/index.js';
import { PaymentsModule } from './payments/index.js';
import { StoresModule, WebhookUrlPolicy } from './stores/index.js';

/** What the document says about extensions besides their routes. @throws ConfigurationError as `forRoot` does */
export const switchedOn = extensionsOf;

/** Names of all extensions, switched on or not. */
export const KNOWN_EXTENSIONS = EXTENSION_NAMES;

export interface AppOptions {
  readonly configuration: Configuration;
  /** The database to use: `DATABASE_URL`, or the embedded server's address. */
  readonly databaseUrl: string;
  /** Another time than the database's, for tests. */
  readonly clock?: Clock | undefined;
}

/**
 * Where ports of one feature meet their implementation in another that must not be imported from there: whoever connects to
 * a webhook address also says which addresses a store may name.
 */
@Global()
@Module({
  providers: [
    {
      provide: WebhookUrlPolicy,
      inject: [Configuration],
      useFactory: ({ webhookAllowPrivate }: Configuration): WebhookUrlPolicy => ({
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
    return {
      module: AppModule,
      imports: [
        LoggerModule.forRoot(loggerParams(configuration.logLevel)),
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
        InboundModule.forRoot(configuration.serviceName),
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
