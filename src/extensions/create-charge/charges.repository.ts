import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../../platform/database/index.js';
import type { RedactedRow } from '../../payments/index.js';
import type { Charge } from './charge.js';

export interface KeptCharge extends Charge {
  readonly apiKeyHeader: string;
}

interface Row {
  full_name: string | null;
  email_address: string | null;
  mobile_number: string | null;
  metadata: string | null;
  webhook_url: string | null;
  api_key_header: string;
}

/** The only place that knows the table `create_charges`. */
@Injectable()
export class ChargesRepository {
  constructor(private readonly database: Database) {}

  async insert(tx: Transaction, storeId: string, paymentId: string, charge: KeptCharge): Promise<void> {
    await tx.execute(
      `INSERT INTO create_charges (payment_id, store_id, full_name, email_address, mobile_number, metadata, webhook_url,
         api_key_header) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        paymentId,
        storeId,
        charge.fullName,
        charge.emailAddress,
        charge.mobileNumber,
        charge.metadata,
        charge.webhookUrl,
        charge.apiKeyHeader,
      ],
    );
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
    const [row] = await this.database.query<Row>(
      `SELECT full_name, email_address, mobile_number, metadata, webhook_url, api_key_header FROM create_charges
       WHERE payment_id = $1 AND store_id = $2`,
      [paymentId, storeId],
    );
    if (row === undefined) return null;
    return {
      fullName: row.full_name,
      emailAddress: row.email_address,
      mobileNumber: row.mobile_number,
      metadata: row.metadata,
      webhookUrl: row.webhook_url,
      apiKeyHeader: row.api_key_header,
    };
  }
}
