import { Module } from '@nestjs/common';
import { PaymentsModule } from '../payments/index.js';
import { StoresModule } from '../stores/index.js';
import { assetsController } from '../platform/web/assets.controller.js';
import { ASSETS_BASE } from './page/checkout-assets.js';
import { CheckoutController } from './checkout.controller.js';
import { CheckoutPageController } from './checkout-page.controller.js';
import { CheckoutPages } from './checkout-pages.js';
import { StatusStream } from './status-stream.js';

/** The payer's door: the public API of a payment, its events, and the hosted page. */
@Module({
  imports: [PaymentsModule, StoresModule],
  controllers: [CheckoutController, assetsController(ASSETS_BASE, CheckoutPages), CheckoutPageController],
  providers: [CheckoutPages, StatusStream],
})
export class CheckoutModule {}
