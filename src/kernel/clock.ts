/**
 * The time as the service decides by it: the database's (`src/platform/database/hosts/database-clock.ts`). Injected
 * everywhere, so that a test can stand at any instant.
 */
export abstract class Clock {
  abstract now(): Date;
}
