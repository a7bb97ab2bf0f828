import { Catch } from '@nestjs/common';
import { Refusals } from '../platform/http/index.js';
import { PayerPageFilter } from '../platform/web/payer/payer-page.filter.js';
import { CheckoutPages } from './checkout-pages.js';

@Catch()
export class CheckoutPageFilter extends PayerPageFilter {
  constructor(pages: CheckoutPages, refusals: Refusals) {
    super(pages, refusals);
  }
}
