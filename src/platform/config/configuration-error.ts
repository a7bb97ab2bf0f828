/** Thrown with one line for every variable that is wrong, so that a user mends them all in one go. */
export class ConfigurationError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigurationError';
  }
}
