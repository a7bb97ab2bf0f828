import { DomainError, type ProblemCodes } from '../../kernel/domain-error.js';

/** Names what was not recognised, so that it can be mapped by parameter. */
export const columnsMissing = (missing: readonly string[]) =>
  new DomainError(
    'invalid',
    'statement.columns_missing',
    `The statement has no line with a name for each column; not recognised: ${missing.join(', ')}. ` +
      'Name them with dateColumn, trxIdColumn and amountColumn.',
  );

/** Each takes memory for as long as it is compared. */
export const reconciliationBusy = () =>
  new DomainError(
    'rate_limited',
    'request.rate_limited',
    'Other statements are being compared. Try again shortly.',
    {
      retryAfterSeconds: 5,
    },
  );

export const statementUnreadable = (line: number, what: string) =>
  new DomainError(
    'invalid',
    'statement.unreadable',
    `The statement cannot be read in line ${line}: ${what}.`,
  );

export const statementWithoutDates = () =>
  new DomainError(
    'invalid',
    'statement.unreadable',
    'No line of the statement has a date that can be read: name the days with from and to.',
  );

export const DAY_CLOSE_CODES: ProblemCodes = {
  'statement.columns_missing': {
    status: 400,
    meaning: 'A wallet’s statement has no header with a date, an id and an amount.',
  },
  'statement.unreadable': {
    status: 400,
    meaning: 'A line of a wallet’s statement cannot be read.',
  },
};
