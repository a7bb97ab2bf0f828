import { ACCOUNTS_CODES } from './accounts/index.js';
import { HTTP_CODES } from './http/index.js';
import { INBOUND_CODES } from './inbound/index.js';
import type { ProblemCodes } from './kernel/domain-error.js';
import { NOTIFICATIONS_CODES } from './notifications/index.js';
import { LINKS_CODES } from './payment-links/index.js';
import { PAYMENTS_CODES, REFUNDS_CODES } from './payments/index.js';
import { MEMBERS_CODES, STORES_CODES } from './stores/index.js';

/** Every code of the core (decisions §1), gathered from where the errors are. Extensions bring their own. */
export const PROBLEM_CODES: ProblemCodes = {
  ...HTTP_CODES,
  ...ACCOUNTS_CODES,
  ...STORES_CODES,
  ...MEMBERS_CODES,
  ...PAYMENTS_CODES,
  ...REFUNDS_CODES,
  ...LINKS_CODES,
  ...INBOUND_CODES,
  ...NOTIFICATIONS_CODES,
};
