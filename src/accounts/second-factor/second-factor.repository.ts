import { Injectable } from '@nestjs/common';
import { Database, type Queryable, type Transaction } from '../../platform/database/index.js';

/** The second factor of an account; `confirmedAt` is null while it is being set up. */
export interface StoredSecondFactor {
  readonly sealedSecret: Buffer;
  readonly confirmedAt: Date | null;
}

/** The only place that knows the second factor's columns of `users`, and the table `recovery_codes`. */
@Injectable()
export class SecondFactorRepository {
  constructor(private readonly database: Database) {}

  async find(on: Queryable, userId: string): Promise<StoredSecondFactor | null> {
    const [row] = await on.query<{ secret: Buffer; confirmed_at: Date | null }>(
      `SELECT second_factor_secret AS secret, second_factor_confirmed_at AS confirmed_at
       FROM users WHERE id = $1 AND second_factor_secret IS NOT NULL`,
      [userId],
    );
    return row === undefined ? null : { sealedSecret: row.secret, confirmedAt: row.confirmed_at };
  }

  /** Keeps a secret that is not in force yet; false when there is a confirmed one. */
  async start(userId: string, sealedSecret: Buffer): Promise<boolean> {
    const count = await this.database.execute(
      `UPDATE users SET second_factor_secret = $2, second_factor_step = NULL
       WHERE id = $1 AND second_factor_confirmed_at IS NULL`,
      [userId, sealedSecret],
    );
    return count === 1;
  }

  /** Puts it in force, unless it is already, or another secret has been started meanwhile. */
  async confirm(
    tx: Transaction,
    userId: string,
    { sealedSecret, step, now }: { sealedSecret: Buffer; step: number; now: Date },
  ): Promise<boolean> {
    const count = await tx.execute(
      `UPDATE users SET second_factor_confirmed_at = $4, second_factor_step = $3
       WHERE id = $1 AND second_factor_secret = $2 AND second_factor_confirmed_at IS NULL`,
      [userId, sealedSecret, step, now],
    );
    return count === 1;
  }

  async replaceRecoveryCodes(tx: Transaction, userId: string, digests: readonly Buffer[]): Promise<void> {
    await tx.execute('DELETE FROM recovery_codes WHERE user_id = $1', [userId]);
    for (const digest of digests)
      await tx.execute('INSERT INTO recovery_codes (user_id, digest) VALUES ($1, $2)', [userId, digest]);
  }

  /**
   * Removes a second factor that is in force; false if there is none.
   *
   * @param removedAt the instant of a removal by an admin, of which the user is told; null when the user removed it
   */
  async remove(tx: Transaction, userId: string, removedAt: Date | null): Promise<boolean> {
    const count = await tx.execute(
      `UPDATE users SET second_factor_secret = NULL, second_factor_confirmed_at = NULL, second_factor_step = NULL,
         second_factor_removed_at = $2
       WHERE id = $1 AND second_factor_confirmed_at IS NOT NULL`,
      [userId, removedAt],
    );
    if (count === 0) return false;
    await tx.execute('DELETE FROM recovery_codes WHERE user_id = $1', [userId]);
    return true;
  }

  /** When an admin removed the second factor, until the user has taken notice. */
  async findRemoval(userId: string): Promise<Date | null> {
    const [row] = await this.database.query<{ at: Date | null }>(
      'SELECT second_factor_removed_at AS at FROM users WHERE id = $1',
      [userId],
    );
    return row?.at ?? null;
  }

  async dismissRemoval(userId: string): Promise<void> {
    await this.database.execute(
      'UPDATE users SET second_factor_removed_at = NULL WHERE id = $1 AND second_factor_removed_at IS NOT NULL',
      [userId],
    );
  }

  /** Spends a step of a code. Of several requests with the same code, or an older one, exactly one gets true. */
  async spendStep(userId: string, step: number): Promise<boolean> {
    const count = await this.database.execute(
      `UPDATE users SET second_factor_step = $2
       WHERE id = $1 AND second_factor_confirmed_at IS NOT NULL
         AND (second_factor_step IS NULL OR second_factor_step < $2)`,
      [userId, step],
    );
    return count === 1;
  }

  async spendRecoveryCode(userId: string, digest: Buffer, now: Date): Promise<boolean> {
    const count = await this.database.execute(
      'UPDATE recovery_codes SET used_at = $3 WHERE user_id = $1 AND digest = $2 AND used_at IS NULL',
      [userId, digest, now],
    );
    return count === 1;
  }
}
