const SERIALIZATION_FAILURE = '40001';
const DEADLOCK_DETECTED = '40P01';
const UNIQUE_VIOLATION = '23505';

/** Classes and codes of SQLSTATE, and of sockets, that mean "the server is away", not "the statement is wrong". */
const UNAVAILABLE_SQLSTATES = new Set([
  // Shut down, crashed, starting, dropped; its connection was idle for too long.
  ...['57P01', '57P02', '57P03', '57P04', '57P05'],
  // It has no disk, memory or connections left.
  ...['53000', '53100', '53200', '53300', '53400'],
  // The database is gone, or does not take this service's password any more.
  ...['3D000', '28000', '28P01'],
  // After a fail-over: this server is a read-only copy now.
  '25006',
]);
const UNAVAILABLE_SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]);
const UNAVAILABLE_MESSAGES =
  /Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after calling end/;

interface PostgresFailure {
  readonly code?: string;
  readonly constraint?: string;
  readonly message?: string;
}

/** A serialisation failure or a deadlock: the same transaction may succeed when it is run again. */
export function isRetryable(error: unknown): boolean {
  const { code } = error as PostgresFailure;
  return code === SERIALIZATION_FAILURE || code === DEADLOCK_DETECTED;
}

/**
 * True for a broken unique constraint, of that name when one is given. From a shard of a distributed table the error
 * has no `constraint`, and the name in its text ends with the shard's number.
 */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const failure = error as PostgresFailure;
  if (failure.code !== UNIQUE_VIOLATION) return false;
  if (constraint === undefined) return true;
  if (failure.constraint !== undefined) return failure.constraint.replace(/_\d+$/, '') === constraint;
  return /"([^"]+)"/.exec(failure.message ?? '')?.[1]?.replace(/_\d+$/, '') === constraint;
}

/** The database cannot be reached, is starting, or is going down. */
export function isUnavailable(error: unknown): boolean {
  const { code, message } = error as PostgresFailure;
  if (
    code !== undefined &&
    (UNAVAILABLE_SQLSTATES.has(code) || UNAVAILABLE_SOCKET_CODES.has(code) || /^08/.test(code))
  ) {
    return true;
  }
  return message !== undefined && UNAVAILABLE_MESSAGES.test(message);
}
