import { DomainError, type ProblemCodes } from '../kernel/domain-error.js';

export const linkNotFound = () => new DomainError('not_found', 'link.not_found', 'There is no such link.');

export const linkSlugTaken = () =>
  new DomainError('conflict', 'link.slug_taken', 'There is a link with this slug already.');

export const LINKS_CODES: ProblemCodes = {
  'link.not_found': { status: 404, meaning: 'There is no such payment link, or it is another store’s.' },
  'link.slug_taken': { status: 409, meaning: 'There is a payment link with this slug already.' },
};
