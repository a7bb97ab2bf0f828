import { table, text, uuid } from '../../platform/database/index.js';

/** Table `create_charges`: what a charge has beyond its payment. */
export const CREATE_CHARGES = table(
  'create_charges',
  {
    paymentId: uuid('payment_id').key(),
    storeId: uuid('store_id').key(),
    fullName: text('full_name').orNull(),
    emailAddress: text('email_address').orNull(),
    mobileNumber: text('mobile_number').orNull(),
    /** JSON, letter by letter as it came. */
    metadata: text('metadata').orNull(),
    webhookUrl: text('webhook_url').orNull(),
    /** The header under which the key came, and goes with the webhook. */
    apiKeyHeader: text('api_key_header'),
  },
  {
    foreignKeys: {
      create_charges_payment_fkey: {
        on: ['paymentId', 'storeId'],
        to: 'payments',
        columns: ['id', 'storeId'],
      },
    },
  },
);
