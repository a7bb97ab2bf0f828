import { defineProblem } from '../../kernel/domain-error.js';

export const memberNotFound = defineProblem(
  'member.not_found',
  'not_found',
  'There is no such user, or they are no member.',
  { meaning: 'There is no such user, or they are no member of the store.' },
);

export const memberExists = defineProblem(
  'member.exists',
  'conflict',
  'This user is a member of the store already.',
);

export const memberIsOwner = defineProblem(
  'member.is_owner',
  'conflict',
  'This user owns the store, and stays its owner.',
);
