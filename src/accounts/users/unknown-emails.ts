import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import { consume } from '../../platform/http/index.js';
import { rateLimiter } from '../sign-in/rate-limiter.js';

/** Unknown e-mail addresses that one user may name, over all replicas (contract 14.34). */
const LIMIT = { count: 30, windowMs: 3_600_000 };

/** Counts the unknown e-mail addresses that users name, so that nobody finds out by trial who has an account. */
@Injectable()
export class UnknownEmails {
  private readonly limiter;

  constructor(database: Database) {
    this.limiter = rateLimiter(database, 'unknown-email', LIMIT);
  }

  /** @throws DomainError `request.rate_limited` for one too many in the hour */
  async count(userId: string): Promise<void> {
    await consume(this.limiter, userId, () => undefined);
  }
}
