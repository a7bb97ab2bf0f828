import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../../database/index.js';
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
