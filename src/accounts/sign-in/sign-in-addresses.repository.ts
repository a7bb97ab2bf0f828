import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../../platform/database/index.js';

const IS_KNOWN = {
  name: 'accounts-is-known-address',
  text: `SELECT 1 FROM users u JOIN sign_in_addresses a ON a.user_id = u.id
    WHERE u.email = $1 AND a.address = $2 AND a.at > $3`,
};

/** The only place that knows the table `sign_in_addresses`: keyed digests of where somebody has signed in from. */
@Injectable()
export class SignInAddressesRepository {
  constructor(private readonly database: Database) {}

  async isKnown(email: string, address: string, since: Date): Promise<boolean> {
    return (await this.database.query(IS_KNOWN, [email, address, since])).length > 0;
  }

  async remember(tx: Transaction, userId: string, address: string, now: Date): Promise<void> {
    await tx.execute(
      `INSERT INTO sign_in_addresses (user_id, address, at) VALUES ($1, $2, $3)
       ON CONFLICT (user_id, address) DO UPDATE SET at = excluded.at`,
      [userId, address, now],
    );
  }

  /** Deletes some that are older; resolves to how many. */
  async deleteBefore(before: Date, limit: number): Promise<number> {
    return this.database.execute(
      `DELETE FROM sign_in_addresses WHERE (user_id, address) IN (
         SELECT user_id, address FROM sign_in_addresses WHERE at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [before, limit],
    );
  }
}
