import { CreateStoreBody, type CreatedStore, StoresService, walletOf } from '../../../stores/index.js';
import { renderCopyBox } from '../../../platform/web/controls.js';
import { html, type Markup } from '../../../platform/web/html.js';
import { renderField, renderForm } from '../../kit/forms.js';
import { DashboardPage, PageAction, PageView } from '../../kit/page.js';
import type { PageAnswer } from '../../kit/page-definition.js';
import type { Visit } from '../../kit/visit.js';
import { WORDS } from '../../kit/words.js';
import { NAME, TEXT } from './words.js';

@DashboardPage({ scope: 'user', path: 'stores/new', name: NAME })
export class NewStorePage {
  constructor(private readonly stores: StoresService) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    const fields = html`${renderField(visit, {
      name: 'name',
      label: WORDS.name,
      hint: visit.say(TEXT.nameHint),
      required: true,
      maxlength: 200,
    })}
    ${renderField(visit, {
      name: 'currency',
      label: WORDS.currency,
      value: 'BDT',
      hint: visit.say(TEXT.currencyHint),
      maxlength: 3,
      code: true,
    })}
    ${renderField(visit, {
      name: 'webhookUrl',
      label: TEXT.webhook,
      type: 'url',
      hint: visit.say(TEXT.webhookHint),
      maxlength: 2048,
    })}`;
    const form = renderForm(visit, { action: '/dashboard/stores/new', submit: TEXT.create }, fields);
    return visit.shown(html`<section class="card narrow">${form}</section>`);
  }

  @PageAction('', { refusedTo: 'show' })
  async create(visit: Visit): Promise<PageAnswer> {
    const body = await visit.checked(CreateStoreBody, {
      name: visit.field('name').trim(),
      ...(visit.text('currency') === null ? {} : { currency: visit.text('currency')?.toUpperCase() }),
      webhookUrl: visit.text('webhookUrl'),
    });
    const created = await this.stores.create(visit.caller, { ...body, wallets: body.wallets?.map(walletOf) });
    return visit.shown(renderCreated(visit, created), {
      status: 201,
      heading: visit.say(TEXT.made),
    });
  }
}

function renderCreated(visit: Visit, created: CreatedStore): Markup {
  const secrets = [
    [TEXT.apiKey, created.apiKey],
    [TEXT.webhookSecret, created.webhookSecret],
    [TEXT.signingSecret, created.signingSecret],
  ] as const;
  return html`<section class="card">
    <h2>${created.store.name}</h2>
    <p class="callout">${visit.say(TEXT.secretsOnce)}</p>
    ${secrets.map(
      ([name, value]) =>
        html`<h3>${visit.say(name)}</h3>
          ${renderCopyBox(value, html`<span class="code" translate="no">${value}</span>`, {
            copy: visit.say(WORDS.copy),
            label: `${visit.say(WORDS.copy)}: ${visit.say(name)}`,
          })}`,
    )}
    <p class="buttons">
      <a class="primary" href="/dashboard/stores/${created.store.id}">${visit.say(TEXT.onwards)}</a>
    </p>
  </section>`;
}
