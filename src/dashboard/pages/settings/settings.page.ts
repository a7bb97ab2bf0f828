import { formatDurationMs } from '../../../kernel/duration.js';
import { RECEIPT_CHECKS, storeChangesOf, StoresService, UpdateStoreBody } from '../../../stores/index.js';
import { html } from '../../../platform/web/html.js';
import { UniqueAmounts } from '../../../payments/index.js';
import { renderForm } from '../../kit/forms.js';
import { DashboardPage, PageAction, PageView } from '../../kit/page.js';
import type { PageAnswer } from '../../kit/page-definition.js';
import { renderBadge, renderFacts } from '../../kit/parts.js';
import { renderShortages } from '../overview/shortages.js';
import type { Visit } from '../../kit/visit.js';
import { WORDS } from '../../kit/words.js';
import { CHECK_WORDS, NAME, TEXT } from './words.js';
import { capitals, checkbox, choice, Form, text } from '../../kit/form.js';

const SETTINGS = new Form(UpdateStoreBody, {
  name: text({ label: WORDS.name, required: true }),
  currency: capitals({ label: WORDS.currency, max: 3 }),
  simulationEnabled: checkbox({ label: TEXT.simulation, hint: TEXT.simulationHint }),
  receiptChecks: choice({ label: TEXT.checks, hint: TEXT.checksHint }, (visit) =>
    RECEIPT_CHECKS.map((value) => ({ value, text: visit.say(CHECK_WORDS[value]) })),
  ),
  receiptLead: text({ label: TEXT.lead, hint: TEXT.leadHint, code: true, max: 10 }),
  uniqueAmounts: checkbox({ label: TEXT.unique, hint: TEXT.uniqueHint }),
  notifyEmail: text({ label: TEXT.notify, hint: TEXT.notifyHint, type: 'email' }),
});

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
    const { name, currency, simulationEnabled, receiptChecks, receiptLeadMs, uniqueAmounts, notifyEmail } =
      store;
    const form = SETTINGS.render(visit, {
      action: visit.inStore('settings'),
      submit: WORDS.save,
      values: {
        name,
        currency,
        simulationEnabled,
        receiptChecks,
        uniqueAmounts,
        notifyEmail,
        receiptLead: formatDurationMs(receiptLeadMs),
      },
      below: { uniqueAmounts: renderShortages(visit, await this.amounts.listShortages(store.id)) },
    });
    return visit.shown(
      html`<section class="card narrow">${form}</section>
        ${
          visit.may('owner') &&
          html`<section class="card narrow">
            <p class="hint">${visit.say(TEXT.archiveLead)}</p>
            ${renderForm(visit, { action: visit.inStore('settings/archive'), submit: TEXT.archive, kind: 'danger' })}
          </section>`
        }`,
    );
  }

  @PageAction('', { role: 'manager', refusedTo: 'show' })
  async save(visit: Visit): Promise<PageAnswer> {
    const body = await SETTINGS.read(visit);
    await this.stores.update(visit.caller, visit.store.id, storeChangesOf(body));
    return visit.goTo(visit.inStore('settings'), 'saved');
  }

  @PageAction('archive', { role: 'owner', refusedTo: 'show', confirm: TEXT.archiveSure })
  async archive(visit: Visit): Promise<PageAnswer> {
    await this.stores.archive(visit.caller, visit.store.id);
    return visit.goTo('/dashboard/stores', 'archived');
  }
}
