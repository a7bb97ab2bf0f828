import { defineProblem } from '../kernel/domain-error.js';

export const linkNotFound = defineProblem('link.not_found', 'not_found', 'There is no such link.', {
  meaning: 'There is no such payment link, or it is another store’s.',
});

export const linkSlugTaken = defineProblem(
  'link.slug_taken',
  'conflict',
  'There is a link with this slug already.',
  { meaning: 'There is a payment link with this slug already.' },
);
