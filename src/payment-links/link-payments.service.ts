import { Injectable } from '@nestjs/common';
import { LinkedPayments, PaymentsService, PaymentsSettings } from '../payments/index.js';
import { Database, lockKey, type Transaction } from '../platform/database/index.js';
import { Clock } from '../kernel/clock.js';
import { type Store, StoresService } from '../stores/index.js';
import {
  type ClosedReason,
  closedReason,
  MAX_OPEN_PAYMENTS,
  MAX_OPEN_PAYMENTS_OF_LINK,
  type PaymentLink,
} from './payment-link.js';
import { linkNotFound } from './payment-links.problems.js';
import { PaymentLinksRepository } from './payment-links.repository.js';

/** The input of a payer in a link's form, read and in range. */
export interface LinkOrder {
  /** Equal for the same form sent again. */
  readonly formKey: string;
  /** Minor units. */
  readonly amountMinor: number;
  readonly customerName: string | null;
  readonly customerPhone: string | null;
}

/** A link as a payer finds it. */
export interface OpenedLink {
  readonly link: PaymentLink;
  readonly store: Store;
  /** Null while it takes payments. */
  readonly closed: ClosedReason | null;
}

export type LinkPaymentResult =
  | { readonly kind: 'payment'; readonly paymentId: string }
  | { readonly kind: 'closed'; readonly reason: ClosedReason }
  | { readonly kind: 'too_many_open' };

/**
 * Payments of an address that are looked at for open ones; more cannot be open, unless the limit was passed long ago.
 */
const MAX_COUNTED_PAYMENTS = 1_000;

/** How a link becomes a payment (contract 11.7). */
@Injectable()
export class LinkPaymentsService {
  constructor(
    private readonly database: Database,
    private readonly links: PaymentLinksRepository,
    private readonly payments: PaymentsService,
    private readonly linked: LinkedPayments,
    private readonly stores: StoresService,
    private readonly settings: PaymentsSettings,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError `link.not_found` */
  async open(slug: string): Promise<OpenedLink> {
    const link = await this.links.findBySlug(slug);
    if (link === null) throw linkNotFound();
    const store = await this.stores.get(link.storeId);
    return { link, store, closed: await this.closed(link, store) };
  }

  /**
   * Makes a payment of a link. The same form leads to the payment it made the first time, whatever has become of the
   * link.
   *
   * Who sends the same form, and who comes from the same address, passes one after the other: so a form makes one
   * payment, and neither an address nor the link has more open ones than the limit.
   */
  async pay(
    { link, store, closed }: OpenedLink,
    order: LinkOrder,
    address: string,
  ): Promise<LinkPaymentResult> {
    const form = { storeId: store.id, linkId: link.id, formKey: order.formKey, address };
    return this.database.transaction(
      async (tx): Promise<LinkPaymentResult> => {
        const known = await this.links.findPaymentOfForm(tx, form);
        if (known !== null) return { kind: 'payment', paymentId: known };
        if (closed !== null) return { kind: 'closed', reason: closed };
        if ((await this.countOpen(tx, form)) >= MAX_OPEN_PAYMENTS) return { kind: 'too_many_open' };
        const ofLink = await this.linked.countOpenOfLink(
          tx,
          form,
          this.openSince(),
          MAX_OPEN_PAYMENTS_OF_LINK,
        );
        if (ofLink >= MAX_OPEN_PAYMENTS_OF_LINK) return { kind: 'too_many_open' };
        const payment = await this.payments.create(
          store,
          {
            amountMinor: order.amountMinor,
            provider: link.provider,
            customerName: order.customerName,
            customerPhone: order.customerPhone,
            note: link.note,
            products: link.products,
            metadata: link.metadata,
            redirectUrl: link.redirectUrl,
            paymentLinkId: link.id,
          },
          tx,
        );
        await this.links.insertForm(tx, { ...form, paymentId: payment.id, createdAt: payment.createdAt });
        return { kind: 'payment', paymentId: payment.id };
      },
      {
        locks: [
          lockKey('payment-link', link.id, 'form', order.formKey),
          lockKey('payment-link', link.id, 'address', address),
          lockKey('payment-link', link.id, 'open'),
        ],
        storeId: store.id,
      },
    );
  }

  private async closed(link: PaymentLink, store: Store): Promise<ClosedReason | null> {
    // Counting is only worth its cost where there is something to compare with.
    const totals = link.maxPayments === null ? null : await this.linked.totalsOf(store.id, [link.id]);
    return closedReason(link, {
      shopOpen: store.archivedAt === null && store.ownerActive,
      verifiedCount: totals?.get(link.id)?.verifiedCount ?? 0,
      now: this.clock.now(),
    });
  }

  /** A payment is open for its lifetime and, once something was submitted, the grace after it at most. */
  private openSince(): Date {
    const { paymentTtlMs, submissionGraceMs } = this.settings;
    return new Date(this.clock.now().getTime() - paymentTtlMs - submissionGraceMs);
  }

  private async countOpen(
    tx: Transaction,
    of: { storeId: string; linkId: string; address: string },
  ): Promise<number> {
    const ids = await this.links.listPaymentsOfAddress(tx, of, this.openSince(), MAX_COUNTED_PAYMENTS);
    return this.linked.countOpen(tx, of.storeId, ids);
  }
}
