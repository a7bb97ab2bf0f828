import { Catch } from '@nestjs/common';
import { Refusals } from '../platform/http/index.js';
import { PayerPageFilter } from '../platform/web/payer/payer-page.filter.js';
import { LinkPages } from './link-pages.js';

@Catch()
export class LinkPageFilter extends PayerPageFilter {
  constructor(pages: LinkPages, refusals: Refusals) {
    super(pages, refusals);
  }
}
