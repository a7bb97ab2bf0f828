export { type ClosedReason, linkUrlOf, type PaymentLink } from './payment-link.js';
export { LinkPages } from './link-pages.js';
export { type PosterSize, POSTER_SIZES } from './page/poster-page.js';
export {
  CreatePaymentLinkBody,
  linkChangesOf,
  newLinkOf,
  UpdatePaymentLinkBody,
} from './payment-links.dto.js';
export * as linkProblems from './payment-links.problems.js';
export { PaymentLinksModule } from './payment-links.module.js';
export {
  type CountedLink,
  type LinkChanges,
  type NewLink,
  PaymentLinksService,
} from './payment-links.service.js';
