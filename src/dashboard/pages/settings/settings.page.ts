import { formatDurationMs } from '../../../kernel/duration.js';
import {
  RECEIPT_CHECKS,
  type ReceiptChecks,
  storeChangesOf,
  StoresService,
  UpdateStoreBody,
} from '../../../stores/index.js';
import { html, NOTHING } from '../../../platform/web/html.js';
import { UniqueAmounts } from '../../../payments/index.js';
import { renderCheckbox, renderField, renderForm, renderSelect } from '../../kit/forms.js';
import { DashboardPage, PageAction, PageView } from '../../kit/page.js';
import type { InBothLanguages, PageAnswer } from '../../kit/page-definition.js';
import { renderBadge, renderFacts } from '../../kit/parts.js';
import { renderShortages } from '../overview/shortages.js';
import type { Visit } from '../../kit/visit.js';
import { WORDS } from '../../kit/words.js';

const NAME = { en: 'Settings', bn: 'সেটিংস' };
const TEXT = {
  simulation: { en: 'Receipts may be simulated', bn: 'পরীক্ষামূলক রসিদ চালু' },
  simulationHint: {
    en: 'For trying things out. What a simulated receipt verifies is marked so.',
    bn: 'পরীক্ষার জন্য। পরীক্ষামূলক রসিদে যা যাচাই হয় তা চিহ্নিত থাকে।',
  },
  checks: { en: 'Receipt checks', bn: 'রসিদ পরীক্ষা' },
  checksHint: {
    en: 'Whether the balances in the messages are compared, so that a made-up message is noticed.',
    bn: 'বার্তার ব্যালান্স মিলিয়ে দেখা হবে কি না, যাতে বানানো বার্তা ধরা পড়ে।',
  },
  lead: { en: 'Receipts may be older than the payment by', bn: 'পেমেন্টের চেয়ে রসিদ যত পুরোনো হতে পারে' },
  leadHint: {
    en: 'Like 1h or 10m. A shop with a counter on the same wallet sets 10m.',
    bn: 'যেমন 1h বা 10m। একই ওয়ালেটে কাউন্টার থাকলে 10m দিন।',
  },
  unique: { en: 'Unique amounts', bn: 'আলাদা আলাদা পরিমাণ' },
  uniqueHint: {
    en: 'Adds 0.01 to 0.99 to each payment, so that no two open ones have the same amount. For busy shops with Bangla QR.',
    bn: 'প্রতিটি পেমেন্টে ০.০১ থেকে ০.৯৯ যোগ হয়, যাতে দুটির পরিমাণ এক না হয়। বাংলা QR-এ ব্যস্ত দোকানের জন্য।',
  },
  notify: { en: 'E-mail for news', bn: 'খবরের ই-মেইল' },
  notifyHint: {
    en: 'Where mail about payments goes, if this service sends any.',
    bn: 'পেমেন্টের খবর যে ই-মেইলে যাবে, যদি এই সার্ভিস পাঠায়।',
  },
  archive: { en: 'Archive store', bn: 'দোকান আর্কাইভ করুন' },
  archiveLead: {
    en: 'Nothing is erased and everything can still be read, but its keys stop working and its payment pages end.',
    bn: 'কিছু মুছবে না, সব পড়া যাবে; কিন্তু তার কী-গুলো অচল হবে ও পেমেন্টের পাতা বন্ধ হবে।',
  },
  archiveSure: {
    en: 'The store is archived for good: its API key and secrets stop working at once. This cannot be undone.',
    bn: 'দোকানটি চিরদিনের জন্য আর্কাইভ হবে: এর API কী ও সিক্রেট এখনই অচল হবে। এটি ফেরানো যায় না।',
  },
  archived: { en: 'Archived', bn: 'আর্কাইভ' },
};

const CHECK_WORDS: Readonly<Record<ReceiptChecks, InBothLanguages>> = {
  off: { en: 'Off', bn: 'বন্ধ' },
  flag: { en: 'Note what is odd', bn: 'অমিল লিখে রাখুন' },
  review: { en: 'Ask me about what is odd', bn: 'অমিল হলে আমাকে জিজ্ঞেস করুন' },
};

/** The store's name and settings (contract 10.16). */
@DashboardPage({ scope: 'store', path: 'settings', name: NAME, order: 110, role: 'manager' })
export class SettingsPage {
  constructor(
    private readonly stores: StoresService,
    private readonly amounts: UniqueAmounts,
  ) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    const { store } = visit;
    if (store.archivedAt !== null) {
      return visit.shown(
        html`<section class="card narrow">
          <p class="state-line">${renderBadge(visit.say(TEXT.archived), 'over')}</p>
          ${renderFacts([
            [visit.say(WORDS.name), store.name],
            [visit.say(WORDS.currency), store.currency],
          ])}
        </section>`,
      );
    }
    const fields = html`${renderField(visit, { name: 'name', label: WORDS.name, value: store.name, required: true, maxlength: 200 })}
    ${renderField(visit, { name: 'currency', label: WORDS.currency, value: store.currency, code: true, maxlength: 3 })}
    ${renderCheckbox(visit, {
      name: 'simulationEnabled',
      label: TEXT.simulation,
      checked: store.simulationEnabled,
      hint: visit.say(TEXT.simulationHint),
    })}
    ${renderSelect(visit, {
      name: 'receiptChecks',
      label: TEXT.checks,
      hint: visit.say(TEXT.checksHint),
      value: store.receiptChecks,
      choices: RECEIPT_CHECKS.map((value) => ({ value, text: visit.say(CHECK_WORDS[value]) })),
    })}
    ${renderField(visit, {
      name: 'receiptLead',
      label: TEXT.lead,
      value: formatDurationMs(store.receiptLeadMs),
      hint: visit.say(TEXT.leadHint),
      code: true,
      maxlength: 10,
    })}
    ${renderCheckbox(visit, {
      name: 'uniqueAmounts',
      label: TEXT.unique,
      checked: store.uniqueAmounts,
      hint: visit.say(TEXT.uniqueHint),
    })}
    ${renderShortages(visit, await this.amounts.listShortages(store.id))}
    ${renderField(visit, {
      name: 'notifyEmail',
      label: TEXT.notify,
      value: store.notifyEmail,
      type: 'email',
      hint: visit.say(TEXT.notifyHint),
      maxlength: 254,
    })}`;
    return visit.shown(
      html`<section class="card narrow">
          ${renderForm(visit, { action: visit.inStore('settings'), submit: WORDS.save }, fields)}
        </section>
        ${
          visit.may('owner')
            ? html`<section class="card narrow">
                <p class="hint">${visit.say(TEXT.archiveLead)}</p>
                ${renderForm(visit, { action: visit.inStore('settings/archive'), submit: TEXT.archive, kind: 'danger' })}
              </section>`
            : NOTHING
        }`,
    );
  }

  @PageAction('', { role: 'manager', refusedTo: 'show' })
  async save(visit: Visit): Promise<PageAnswer> {
    const body = await visit.checked(UpdateStoreBody, {
      name: visit.field('name').trim(),
      currency: visit.field('currency').trim().toUpperCase(),
      simulationEnabled: visit.field('simulationEnabled') !== '',
      receiptChecks: visit.field('receiptChecks') || visit.store.receiptChecks,
      receiptLead: visit.text('receiptLead') ?? formatDurationMs(visit.store.receiptLeadMs),
      uniqueAmounts: visit.field('uniqueAmounts') !== '',
      notifyEmail: visit.text('notifyEmail'),
    });
    await this.stores.update(visit.caller, visit.store.id, storeChangesOf(body));
    return visit.goTo(visit.inStore('settings'), 'saved');
  }

  @PageAction('archive', { role: 'owner', refusedTo: 'show', confirm: TEXT.archiveSure })
  async archive(visit: Visit): Promise<PageAnswer> {
    await this.stores.archive(visit.caller, visit.store.id);
    return visit.goTo('/dashboard/stores', 'archived');
  }
}
