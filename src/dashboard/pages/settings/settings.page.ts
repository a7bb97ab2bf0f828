import { formatDurationMs } from '../../../kernel/duration.js';
import { RECEIPT_CHECKS, storeChangesOf, StoresService, UpdateStoreBody } from '../../../stores/index.js';
import { html } from '../../../platform/web/html.js';
import { UniqueAmounts } from '../../../payments/index.js';
import { renderCheckbox, renderField, renderForm, renderSelect } from '../../kit/forms.js';
import { DashboardPage, PageAction, PageView } from '../../kit/page.js';
import type { PageAnswer } from '../../kit/page-definition.js';
import { renderBadge, renderFacts } from '../../kit/parts.js';
import { renderShortages } from '../overview/shortages.js';
import type { Visit } from '../../kit/visit.js';
import { WORDS } from '../../kit/words.js';
import { CHECK_WORDS, NAME, TEXT } from './words.js';

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
