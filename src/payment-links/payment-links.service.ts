import { Injectable } from '@nestjs/common';
import { randomInt } from 'node:crypto';
import { type Caller } from '../accounts/index.js';
import { AuditLog } from '../platform/audit/index.js';
import { Database, type Transaction } from '../platform/database/index.js';
import { decodeCursor, type Page, pageOf, type PageQuery } from '../platform/http/index.js';
import { Clock } from '../kernel/clock.js';
import { DomainError } from '../kernel/domain-error.js';
import { newId } from '../kernel/ids.js';
import { LinkedPayments, type LinkedTotals } from '../payments/index.js';
import { storeArchived, type Store } from '../stores/index.js';
import { NO_TOTALS, type PaymentLink, RANDOM_SLUG_CHARACTERS, SLUG_ALPHABET } from './payment-link.js';
import { linkNotFound } from './payment-links.problems.js';
import { PaymentLinksRepository } from './payment-links.repository.js';

export type NewLink = Omit<PaymentLink, 'id' | 'storeId' | 'slug' | 'active' | 'createdAt' | 'updatedAt'> & {
  /** Null: random characters. */
  readonly slug: string | null;
};

export type LinkChanges = Partial<
  Pick<PaymentLink, 'title' | 'note' | 'active' | 'maxPayments' | 'expiresAt' | 'redirectUrl'>
>;

/** A link with what has come through it. */
export type CountedLink = PaymentLink & LinkedTotals;

/** The maker of a change to a link: the merchant's backend (null), or a user, who stands in the audit log. */
export type LinkMaker = Caller | null;

/** Two random slugs meet once in 10^15; three times never. */
const MAX_SLUG_TRIES = 3;

/** Payment links as their merchant sees them (contract 11.1). */
@Injectable()
export class PaymentLinksService {
  constructor(
    private readonly database: Database,
    private readonly links: PaymentLinksRepository,
    private readonly linked: LinkedPayments,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 409 `link.slug_taken`, `store.archived` */
  async create(maker: LinkMaker, store: Store, input: NewLink): Promise<CountedLink> {
    if (store.archivedAt !== null) throw storeArchived();
    for (let tries = 1; ; tries += 1) {
      try {
        const link = this.newLink(store, input);
        await this.database.transaction(async (tx) => {
          await this.links.insert(tx, link);
          await this.audit(tx, maker, link, 'payment_link.created', { slug: link.slug, title: link.title });
        });
        return { ...link, ...NO_TOTALS };
      } catch (error) {
        const isUnlucky = error instanceof DomainError && error.code === 'link.slug_taken';
        if (!isUnlucky || input.slug !== null || tries === MAX_SLUG_TRIES) throw error;
      }
    }
  }

  /** @throws DomainError 404 `link.not_found`; 409 `store.archived` */
  async update(maker: LinkMaker, store: Store, linkId: string, changes: LinkChanges): Promise<CountedLink> {
    if (store.archivedAt !== null) throw storeArchived();
    const changed = await this.database.transaction(async (tx) => {
      const link = await this.links.lock(tx, store.id, linkId);
      if (link === null) throw linkNotFound();
      const next: PaymentLink = { ...link, ...changes, updatedAt: this.clock.now() };
      await this.links.update(tx, next);
      await this.audit(tx, maker, next, 'payment_link.updated', differences(link, next, changes));
      return next;
    });
    return this.counted(changed);
  }

  /** @throws DomainError `link.not_found` when there is none, or when it is another store's */
  async getOfStore(storeId: string, linkId: string): Promise<CountedLink> {
    const link = await this.links.find(storeId, linkId);
    if (link === null) throw linkNotFound();
    return this.counted(link);
  }

  /** Newest first. */
  async listOfStore(storeId: string, query: PageQuery): Promise<Page<CountedLink>> {
    const links = await this.links.list(storeId, decodeCursor(query.cursor), query.limit);
    const shown = links.slice(0, query.limit).map(({ id }) => id);
    const totals = await this.linked.totalsOf(storeId, shown);
    return pageOf(
      links,
      query.limit,
      (link) => ({ at: link.createdAt, id: link.id }),
      (link) => ({ ...link, ...(totals.get(link.id) ?? NO_TOTALS) }),
    );
  }

  private async counted(link: PaymentLink): Promise<CountedLink> {
    const totals = await this.linked.totalsOf(link.storeId, [link.id]);
    return { ...link, ...(totals.get(link.id) ?? NO_TOTALS) };
  }

  private newLink(store: Store, input: NewLink): PaymentLink {
    const now = this.clock.now();
    const slug = input.slug ?? randomSlug();
    return { ...input, id: newId(), storeId: store.id, slug, active: true, createdAt: now, updatedAt: now };
  }

  private async audit(
    tx: Transaction,
    maker: LinkMaker,
    link: PaymentLink,
    action: string,
    details: Record<string, unknown>,
  ): Promise<void> {
    if (maker === null) return;
    await this.auditLog.record(tx, maker, action, {
      storeId: link.storeId,
      details: { linkId: link.id, ...details },
    });
  }
}

function randomSlug(): string {
  const letters = Array.from({ length: RANDOM_SLUG_CHARACTERS }, () =>
    SLUG_ALPHABET.charAt(randomInt(SLUG_ALPHABET.length)),
  );
  return letters.join('');
}

function differences(before: PaymentLink, after: PaymentLink, changes: LinkChanges): Record<string, unknown> {
  const fields = Object.keys(changes) as (keyof LinkChanges)[];
  const changed = fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
  return Object.fromEntries(changed.map((field) => [field, { before: before[field], after: after[field] }]));
}
