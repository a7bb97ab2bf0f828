import { Clock } from '../../../kernel/clock.js';
import { lastDays, spanOfDay } from '../../../kernel/time-zone.js';
import { DeliveriesService, DeliveryQuery, DeliveryTotals } from '../../../notifications/index.js';
import { MessagesService } from '../../../inbound/index.js';
import {
  GuessProtection,
  PaymentQuery,
  PaymentsService,
  PaymentTotals,
  UniqueAmounts,
} from '../../../payments/index.js';
import { PhonePresence, storeChangesOf, StoresService, UpdateStoreBody } from '../../../stores/index.js';
import { html } from '../../../platform/web/html.js';
import { DashboardPage, PageAction, PageView } from '../../kit/page.js';
import type { PageAnswer } from '../../kit/page-definition.js';
import { renderShortages } from './shortages.js';
import type { Visit } from '../../kit/visit.js';
import { renderPaymentRows } from '../payments/payments.page.js';
import { NAME, TEXT } from './words.js';
import {
  phoneText,
  renderChart,
  renderGuessing,
  renderSent,
  renderSpeed,
  renderSteps,
  renderTile,
  renderTotals,
} from './sections.js';

/** How the shop stands, at a glance (contract 10.16). */
@DashboardPage({ scope: 'store', path: '', name: NAME, order: 10 })
export class OverviewPage {
  constructor(
    private readonly payments: PaymentsService,
    private readonly totals: PaymentTotals,
    private readonly amounts: UniqueAmounts,
    private readonly deliveries: DeliveriesService,
    private readonly messages: MessagesService,
    private readonly deliveryTotals: DeliveryTotals,
    private readonly stores: StoresService,
    private readonly protections: GuessProtection,
    private readonly phones: PhonePresence,
    private readonly clock: Clock,
  ) {}

  @PageAction('unique-amounts', { role: 'manager', refusedTo: 'show' })
  async useUniqueAmounts(visit: Visit): Promise<PageAnswer> {
    const body = await visit.checked(UpdateStoreBody, { uniqueAmounts: true });
    await this.stores.update(visit.caller, visit.store.id, storeChangesOf(body));
    return visit.goTo(visit.inStore(''), 'saved');
  }

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    const { store } = visit;
    const days = lastDays(this.clock.now(), 30, visit.timeZone);
    const from = spanOfDay(days[0] ?? '', visit.timeZone)?.from ?? new Date(0);
    const range = { from, to: new Date(this.clock.now().getTime() + 60_000), timeZone: visit.timeZone };
    const [
      latest,
      [waiting],
      totals,
      failed,
      unread,
      phoneOf,
      shortages,
      speed,
      sent,
      protections,
      byDigits,
    ] = await Promise.all([
      this.payments.listOfStore(store.id, {}, await visit.checked(PaymentQuery, { limit: 5 })),
      this.totals.waitingIn([store.id]),
      this.totals.verifiedByDay([store.id], range),
      this.deliveries.list(store.id, { status: 'failed' }, await visit.checked(DeliveryQuery, { limit: 1 })),
      this.messages.countUnread(store.id),
      this.phones.statusOf([store.id]),
      this.amounts.listShortages(store.id),
      this.totals.medianSecondsByDay(store.id, range),
      this.deliveryTotals.byDay(store.id, range),
      this.protections.listHeld(store.id, SHOWN_AMOUNTS),
      this.protections.countByDigits(store.id),
    ]);
    const phone = phoneOf(store.id);
    const { review = 0, unclaimed = 0 } = waiting ?? {};
    return visit.shown(
      html`<div data-live="overview">
        ${renderGuessing(visit, protections, byDigits)} ${renderSteps(visit, phone, latest.data.length > 0)}
        ${renderShortages(visit, shortages)} ${renderTotals(visit, days, totals)}
        <ul class="tiles">
          ${renderTile(visit, TEXT.waiting, visit.count(review), 'review', review > 0)}
          ${renderTile(visit, TEXT.unclaimed, visit.count(unclaimed), 'receipts', unclaimed > 0)}
          ${renderTile(visit, TEXT.unread, visit.count(unread), unread > 0 ? 'messages?status=unread' : 'messages', unread > 0)}
          ${renderTile(visit, TEXT.phone, phoneText(visit, phone), 'phone', phone.silent)}
          ${
            failed.data.length !== 0 &&
            renderTile(visit, TEXT.failing, visit.say(TEXT.some), 'deliveries?status=failed', true)
          }
        </ul>
        ${renderChart(visit, days, totals)}
        <div class="columns">${renderSpeed(visit, days, speed)} ${renderSent(visit, days, sent)}</div>
        ${
          latest.data.length !== 0 &&
          html`<h2>${visit.say(TEXT.latest)}</h2>
            ${renderPaymentRows(visit, latest.data)}
            <p><a href="${visit.inStore('payments')}">${visit.say(TEXT.all)}</a></p>`
        }
      </div>`,
    );
  }
}

/** Amounts under guess protection that are shown. */
const SHOWN_AMOUNTS = 100;
