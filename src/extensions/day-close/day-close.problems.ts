import { defineProblem } from '../../kernel/domain-error.js';
import { rateLimited } from '../../platform/http/index.js';

/** Names what was not recognised, so that it can be mapped by parameter. */
export const columnsMissing = defineProblem(
  'statement.columns_missing',
  'invalid',
  (missing: readonly string[]) =>
    `The statement has no line with a name for each column; not recognised: ${missing.join(', ')}. ` +
    'Name them with dateColumn, trxIdColumn and amountColumn.',
  { meaning: 'A wallet’s statement has no header with a date, an id and an amount.' },
);

export const statementUnreadable = defineProblem(
  'statement.unreadable',
  'invalid',
  (line: number, what: string) => `The statement cannot be read in line ${line}: ${what}.`,
  { meaning: 'A line of a wallet’s statement cannot be read.' },
);

export const statementWithoutDates = () =>
  statementUnreadable.saying(
    'No line of the statement has a date that can be read: name the days with from and to.',
  );

/** Each takes memory for as long as it is compared. */
export const reconciliationBusy = () =>
  rateLimited.saying('Other statements are being compared. Try again shortly.', { retryAfterSeconds: 5 });
