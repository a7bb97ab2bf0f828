import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { AuditLog } from '../../platform/audit/index.js';
import { Database } from '../../platform/database/index.js';
import { messageOf } from '../../kernel/error-text.js';
import { type UserRecord } from '../users/user.js';

/** At most so many wait to be written; what a flood adds beyond is counted in metrics alone. */
const MAX_WAITING = 200;

/**
 * Writes failed sign-ins to existing accounts into the audit log (contract 14.53). After the answer, not before it: a
 * write that only an existing account causes would tell by its time that there is one.
 */
@Injectable()
export class SignInFailures implements BeforeApplicationShutdown {
  private readonly logger = new Logger(SignInFailures.name);
  private readonly writing = new Set<Promise<void>>();

  constructor(
    private readonly database: Database,
    private readonly auditLog: AuditLog,
  ) {}

  note(user: UserRecord, address: string, reason: 'password' | 'second_factor'): void {
    if (this.writing.size >= MAX_WAITING) return;
    const written = this.write(user, address, reason)
      .catch((error: unknown) => this.logger.error(messageOf(error)))
      .finally(() => this.writing.delete(written));
    this.writing.add(written);
  }

  /** Resolves when what this replica has noted so far is there to be read. */
  async written(): Promise<void> {
    await Promise.all(this.writing);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.written();
  }

  private async write(user: UserRecord, address: string, reason: string): Promise<void> {
    await this.database.transaction((tx) =>
      this.auditLog.record(tx, { user, address }, 'auth.sign_in_failed', {
        details: { userId: user.id, reason },
      }),
    );
  }
}
