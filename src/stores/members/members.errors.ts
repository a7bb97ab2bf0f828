import { DomainError, type ProblemCodes } from '../../kernel/domain-error.js';

export const memberNotFound = () =>
  new DomainError('not_found', 'member.not_found', 'There is no such user, or they are no member.');

export const memberExists = () =>
  new DomainError('conflict', 'member.exists', 'This user is a member of the store already.');

export const memberIsOwner = () =>
  new DomainError('conflict', 'member.is_owner', 'This user owns the store, and stays its owner.');

/** Error codes of members; published in the OpenAPI document (contract 1.36). */
export const MEMBERS_CODES: ProblemCodes = {
  'member.not_found': {
    status: 404,
    meaning: 'There is no such user, or they are no member of the store.',
  },
  'member.exists': { status: 409, meaning: 'This user is a member of the store already.' },
  'member.is_owner': { status: 409, meaning: 'This user owns the store, and stays its owner.' },
};
