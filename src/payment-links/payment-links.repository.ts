import { Injectable } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import { Database, type Queryable, type Transaction } from '../platform/database/index.js';
import type { PagePosition } from '../platform/http/index.js';
import { isUniqueViolation } from '../kernel/sqlstate.js';
import type { PaymentLink } from './payment-link.js';
import { linkSlugTaken } from './payment-links.problems.js';
import { PAYMENT_LINK_FORMS, PAYMENT_LINKS } from './payment-links.table.js';

/** A form that was sent, and where it led. */
export interface SentForm {
  readonly storeId: string;
  readonly linkId: string;
  readonly formKey: string;
  readonly paymentId: string;
  readonly address: string;
  readonly createdAt: Date;
}

const COLUMNS = PAYMENT_LINKS.list();
const INSERT = PAYMENT_LINKS.insert('payment-links-insert');
const INSERT_FORM = PAYMENT_LINK_FORMS.insert('payment-links-insert-form');

const UPDATE = {
  name: 'payment-links-update',
  text: `UPDATE payment_links SET ${PAYMENT_LINKS.changes(3)} WHERE id = $1 AND store_id = $2`,
};

const FIND = {
  name: 'payment-links-find',
  text: `SELECT ${COLUMNS} FROM payment_links WHERE id = $1 AND store_id = $2`,
};

const LOCK = {
  name: 'payment-links-lock',
  text: `SELECT ${COLUMNS} FROM payment_links WHERE id = $1 AND store_id = $2 FOR NO KEY UPDATE`,
};

const FIND_BY_SLUG = {
  name: 'payment-links-find-by-slug',
  text: `SELECT ${COLUMNS} FROM payment_links WHERE slug = $1`,
};

const LIST = {
  name: 'payment-links-list',
  text: `SELECT ${COLUMNS} FROM payment_links
    WHERE store_id = $1 AND ($2::timestamptz IS NULL OR (created_at, id) < ($2, $3::uuid))
    ORDER BY created_at DESC, id DESC LIMIT $4`,
};

const FIND_FORM = {
  name: 'payment-links-find-form',
  text: `SELECT payment_id FROM payment_link_forms WHERE store_id = $1 AND link_id = $2 AND form_key = $3`,
};

const LIST_OF_ADDRESS = {
  name: 'payment-links-list-of-address',
  text: `SELECT payment_id FROM payment_link_forms
    WHERE store_id = $1 AND link_id = $2 AND address = $3 AND created_at > $4
    ORDER BY created_at DESC LIMIT $5`,
};

/** The only place that knows the tables `payment_links` and `payment_link_forms`. */
@Injectable()
export class PaymentLinksRepository {
  constructor(private readonly database: Database) {}

  /** @throws DomainError `link.slug_taken`: the database decides, not a query before it */
  async insert(tx: Transaction, link: PaymentLink): Promise<void> {
    await tx.execute(INSERT, PAYMENT_LINKS.valuesOf(link)).catch((error: unknown) => {
      throw isUniqueViolation(error, 'payment_links_slug_key') ? linkSlugTaken() : error;
    });
  }

  async update(tx: Transaction, link: PaymentLink): Promise<void> {
    await tx.execute(UPDATE, [link.id, link.storeId, ...PAYMENT_LINKS.changedValuesOf(link)]);
  }

  async find(storeId: string, linkId: string): Promise<PaymentLink | null> {
    const [row] = await this.database.query<QueryResultRow>(FIND, [linkId, storeId]);
    return row === undefined ? null : PAYMENT_LINKS.read(row);
  }

  async lock(tx: Transaction, storeId: string, linkId: string): Promise<PaymentLink | null> {
    const [row] = await tx.query<QueryResultRow>(LOCK, [linkId, storeId]);
    return row === undefined ? null : PAYMENT_LINKS.read(row);
  }

  async findBySlug(slug: string): Promise<PaymentLink | null> {
    const [row] = await this.database.query<QueryResultRow>(FIND_BY_SLUG, [slug]);
    return row === undefined ? null : PAYMENT_LINKS.read(row);
  }

  /** Newest first. Answers one row more than `limit`. */
  async list(storeId: string, position: PagePosition | null, limit: number): Promise<PaymentLink[]> {
    const values = [storeId, position?.at ?? null, position?.id ?? null, limit + 1];
    return (await this.database.query<QueryResultRow>(LIST, values)).map((row) => PAYMENT_LINKS.read(row));
  }

  async insertForm(tx: Transaction, form: SentForm): Promise<void> {
    await tx.execute(INSERT_FORM, PAYMENT_LINK_FORMS.valuesOf(form));
  }

  /** Forgets forms that were sent before an instant, the oldest first. Answers how many. */
  async pruneForms(before: Date, limit: number): Promise<number> {
    return this.database.execute(
      `DELETE FROM payment_link_forms WHERE (store_id, link_id, form_key) IN (
         SELECT store_id, link_id, form_key FROM payment_link_forms
         WHERE created_at <= $1 ORDER BY created_at LIMIT $2)`,
      [before, limit],
    );
  }

  /** The payment that a form has led to, or null when it has not been sent before. */
  async findPaymentOfForm(
    on: Queryable,
    form: Pick<SentForm, 'storeId' | 'linkId' | 'formKey'>,
  ): Promise<string | null> {
    const [row] = await on.query<{ payment_id: string }>(FIND_FORM, [
      form.storeId,
      form.linkId,
      form.formKey,
    ]);
    return row?.payment_id ?? null;
  }

  /** Payments of a link that came from an address since an instant, newest first. */
  async listPaymentsOfAddress(
    on: Queryable,
    of: Pick<SentForm, 'storeId' | 'linkId' | 'address'>,
    since: Date,
    limit: number,
  ): Promise<string[]> {
    const values = [of.storeId, of.linkId, of.address, since, limit];
    const rows = await on.query<{ payment_id: string }>(LIST_OF_ADDRESS, values);
    return rows.map((row) => row.payment_id);
  }
}
