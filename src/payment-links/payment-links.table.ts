import {
  flag,
  instant,
  integer,
  rawJson,
  type RecordOf,
  table,
  text,
  uuid,
  whole,
} from '../platform/database/index.js';

/** Table `payment_links`: on every node, so there are no counters in it (contract 11.2). */
export const PAYMENT_LINKS = table(
  'payment_links',
  {
    id: uuid('id').key(),
    storeId: uuid('store_id'),
    slug: text('slug'),
    title: text('title').changing(),
    /** Null: the payer says how much, between the two below where they are given. */
    amountMinor: whole('amount_minor').orNull(),
    minAmountMinor: whole('min_amount_minor').orNull(),
    maxAmountMinor: whole('max_amount_minor').orNull(),
    note: text('note').orNull().changing(),
    products: rawJson('products').orNull(),
    metadata: rawJson('metadata').orNull(),
    /** The one wallet the merchant allows, or null for any. */
    provider: text('provider').orNull(),
    redirectUrl: text('redirect_url').orNull().changing(),
    /** Takes no new payments once so many are verified; null for any number. */
    maxPayments: integer('max_payments').orNull().changing(),
    expiresAt: instant('expires_at').orNull().changing(),
    askName: flag('ask_name'),
    askPhone: flag('ask_phone'),
    active: flag('active').withDefault(true).changing(),
    createdAt: instant('created_at'),
    updatedAt: instant('updated_at').changing(),
  },
  {
    foreignKeys: { payment_links_store_fkey: { on: ['storeId'], to: 'stores', columns: ['id'] } },
    unique: { payment_links_slug_key: ['slug'] },
    indexes: { payment_links_created: { on: ['storeId', 'createdAt', 'id'] } },
  },
);
export type PaymentLinkRecord = RecordOf<typeof PAYMENT_LINKS>;

/** Table `payment_link_forms`: the same form sent twice leads to the same payment. */
export const PAYMENT_LINK_FORMS = table(
  'payment_link_forms',
  {
    storeId: uuid('store_id').key(),
    linkId: uuid('link_id').key(),
    /** A digest of the page's token and of what was typed. */
    formKey: text('form_key').key(),
    paymentId: uuid('payment_id'),
    /** The address whose open payments are counted; for IPv6 its network. */
    address: text('address').orNull(),
    createdAt: instant('created_at'),
  },
  {
    indexes: {
      payment_link_forms_address: { on: ['storeId', 'linkId', 'address', 'createdAt'] },
      payment_link_forms_created: { on: ['createdAt'] },
    },
  },
);
