import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../../platform/database/index.js';
import type { RedactedRow } from '../../payments/index.js';
import type { Charge } from './charge.js';
import { CREATE_CHARGES } from './create-charges.table.js';

export interface KeptCharge extends Charge {
  readonly apiKeyHeader: string;
}

const INSERT = CREATE_CHARGES.insert('create-charge-insert');

/** The only place that knows the table `create_charges`. */
@Injectable()
export class ChargesRepository {
  constructor(private readonly database: Database) {}

  async insert(tx: Transaction, storeId: string, paymentId: string, charge: KeptCharge): Promise<void> {
    await tx.execute(INSERT, CREATE_CHARGES.valuesOf({ ...charge, storeId, paymentId }));
  }

  /** Takes what names users. `metadata` is the merchant's own and stays, as a payment's note does. */
  async redact(tx: Transaction, payments: readonly RedactedRow[]): Promise<void> {
    await tx.execute(
      `UPDATE create_charges SET full_name = NULL, email_address = NULL, mobile_number = NULL
       FROM unnest($1::uuid[], $2::uuid[]) AS old (id, store_id)
       WHERE create_charges.payment_id = old.id AND create_charges.store_id = old.store_id`,
      [payments.map(({ id }) => id), payments.map(({ storeId }) => storeId)],
    );
  }

  async find(storeId: string, paymentId: string): Promise<KeptCharge | null> {
    const [row] = await this.database.query(
      `SELECT ${CREATE_CHARGES.list()} FROM create_charges WHERE payment_id = $1 AND store_id = $2`,
      [paymentId, storeId],
    );
    return row === undefined ? null : CREATE_CHARGES.read(row);
  }
}
