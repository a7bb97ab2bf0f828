import { PaymentQuery, PaymentsService, ReceiptQuery, ReceiptsService } from '../../payments/index.js';
import { PhonePresence, type PhoneStatus } from '../../stores/index.js';
import { html, type Markup, NOTHING } from '../../web/html.js';
import { DashboardPage, PageView } from '../page.js';
import type { InBothLanguages, PageAnswer } from '../page-definition.js';
import { renderTime } from '../parts.js';
import type { Visit } from '../visit.js';
import { renderPaymentRows } from './payments.page.js';

const NAME = { en: 'Overview', bn: 'সারাংশ' };
const TEXT = {
  waiting: { en: 'Waiting for review', bn: 'যাচাইয়ের অপেক্ষায়' },
  unclaimed: { en: 'Unclaimed receipts', bn: 'পেমেন্টহীন রসিদ' },
  phone: { en: 'Phone', bn: 'ফোন' },
  never: { en: 'Never heard from', bn: 'কখনো খবর আসেনি' },
  latest: { en: 'Latest payments', bn: 'সর্বশেষ পেমেন্ট' },
  all: { en: 'All payments', bn: 'সব পেমেন্ট' },
  steps: { en: 'What is left to do', bn: 'যা বাকি' },
  stepWallet: { en: 'Add the wallet your customers pay to', bn: 'যে ওয়ালেটে টাকা নেবেন তা যোগ করুন' },
  stepPhone: {
    en: 'Connect the phone that gets the wallet’s messages',
    bn: 'যে ফোনে ওয়ালেটের বার্তা আসে তা যুক্ত করুন',
  },
  stepWebhook: { en: 'Give your website’s webhook address', bn: 'ওয়েবসাইটের ওয়েবহুক ঠিকানা দিন' },
  stepPayment: { en: 'Try a first payment, simulated', bn: 'পরীক্ষামূলক প্রথম পেমেন্ট করে দেখুন' },
  more: { en: 'or more', bn: 'বা বেশি' },
  create: { en: 'Create payment', bn: 'পেমেন্ট তৈরি করুন' },
};

/** How the shop stands, at a glance (decisions §10). */
@DashboardPage({ scope: 'store', path: '', name: NAME, order: 10 })
export class OverviewPage {
  constructor(
    private readonly payments: PaymentsService,
    private readonly receipts: ReceiptsService,
    private readonly phones: PhonePresence,
  ) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    const { store } = visit;
    const [latest, review, unclaimed, phoneOf] = await Promise.all([
      this.payments.listOfStore(store.id, {}, await visit.checked(PaymentQuery, { limit: 5 })),
      this.payments.listOfStore(
        store.id,
        { status: 'review' },
        await visit.checked(PaymentQuery, { limit: 100 }),
      ),
      this.receipts.listOfStore(store.id, 'unmatched', await visit.checked(ReceiptQuery, { limit: 100 })),
      this.phones.statusOf([store.id]),
    ]);
    const phone = phoneOf(store.id);
    const count = (page: { data: readonly unknown[]; nextCursor: string | null }) =>
      `${visit.count(page.data.length)}${page.nextCursor === null ? '' : ` ${visit.say(TEXT.more)}`}`;
    return visit.shown(
      html`<div data-live="overview">
        ${renderSteps(visit, phone, latest.data.length > 0)}
        <ul class="tiles">
          ${renderTile(visit, TEXT.waiting, count(review), 'review', review.data.length > 0)}
          ${renderTile(visit, TEXT.unclaimed, count(unclaimed), 'receipts', unclaimed.data.length > 0)}
          ${renderTile(visit, TEXT.phone, renderTime(visit, phone.lastSeenAt) ?? visit.say(TEXT.never), 'phone', false)}
        </ul>
        ${
          latest.data.length === 0
            ? NOTHING
            : html`<h2>${visit.say(TEXT.latest)}</h2>
                ${renderPaymentRows(visit, latest.data)}
                <p><a href="${visit.inStore('payments')}">${visit.say(TEXT.all)}</a></p>`
        }
      </div>`,
    );
  }
}

function renderTile(
  visit: Visit,
  name: InBothLanguages,
  value: Markup | string,
  path: string,
  isUrgent: boolean,
): Markup {
  return html`<li class="${isUrgent && 'urgent'}">
    <a href="${visit.inStore(path)}"
      ><span class="label">${visit.say(name)}</span> <strong>${value}</strong></a
    >
  </li>`;
}

/** What a new store still needs, in the order in which a shop does it. */
function renderSteps(visit: Visit, phone: PhoneStatus, hasPayment: boolean): Markup {
  const { store } = visit;
  if (store.archivedAt !== null || !visit.may('manager')) return NOTHING;
  const steps: (readonly [boolean, InBothLanguages, string])[] = [
    [store.wallets.length > 0, TEXT.stepWallet, 'wallets'],
    [phone.lastSeenAt !== null, TEXT.stepPhone, 'phone'],
    [store.webhookUrl !== null, TEXT.stepWebhook, 'developers'],
    [hasPayment, TEXT.stepPayment, 'payments/new'],
  ];
  const left = steps.filter(([isDone]) => !isDone);
  if (left.length === 0) return NOTHING;
  return html`<section class="card">
    <h2>${visit.say(TEXT.steps)}</h2>
    <ol class="todo">
      ${left.map(([, words, path]) => html`<li><a href="${visit.inStore(path)}">${visit.say(words)}</a></li>`)}
    </ol>
  </section>`;
}
