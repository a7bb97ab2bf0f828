import { Module } from '@nestjs/common';
import { forTables } from '../platform/database/index.js';
import { AccountsModule } from '../accounts/index.js';
import { AuditModule } from '../platform/audit/index.js';
import { PaymentsModule } from '../payments/index.js';
import { StoresModule } from '../stores/index.js';
import { assetsController } from '../platform/web/assets.controller.js';
import { LINK_ASSETS_BASE } from './page/link-assets.js';
import { LinkPageController } from './link-page.controller.js';
import { LinkFormsRetention } from './link-forms-retention.js';
import { LinkPages } from './link-pages.js';
import { LinkPaymentsService } from './link-payments.service.js';
import { PaymentLinksController, StorePaymentLinksController } from './payment-links.controller.js';
import { PaymentLinksRepository } from './payment-links.repository.js';
import { PAYMENT_LINK_FORMS, PAYMENT_LINKS } from './payment-links.table.js';
import { PaymentLinksService } from './payment-links.service.js';

/** Links that become payments (contract 11.1). */
@Module({
  imports: [
    forTables(PAYMENT_LINKS, PAYMENT_LINK_FORMS),
    AccountsModule,
    AuditModule,
    PaymentsModule,
    StoresModule,
  ],
  controllers: [
    PaymentLinksController,
    StorePaymentLinksController,
    assetsController(LINK_ASSETS_BASE, LinkPages),
    LinkPageController,
  ],
  providers: [
    PaymentLinksRepository,
    PaymentLinksService,
    LinkPaymentsService,
    LinkPages,
    LinkFormsRetention,
  ],
  exports: [PaymentLinksService, LinkPages],
})
export class PaymentLinksModule {}
