import { CreateStoreBody, type CreatedStore, StoresService, walletOf } from '../../../stores/index.js';
import { renderCopyBox } from '../../../platform/web/controls.js';
import { html, type Markup } from '../../../platform/web/html.js';
import { DashboardPage, PageAction, PageView } from '../../kit/page.js';
import type { PageAnswer } from '../../kit/page-definition.js';
import type { Visit } from '../../kit/visit.js';
import { WORDS } from '../../kit/words.js';
import { NAME, TEXT } from './words.js';
import { capitals, Form, text } from '../../kit/form.js';

const NEW_STORE = new Form(CreateStoreBody, {
  name: text({ label: WORDS.name, hint: TEXT.nameHint }),
  currency: capitals({ label: WORDS.currency, hint: TEXT.currencyHint, max: 3 }),
  webhookUrl: text({ label: TEXT.webhook, hint: TEXT.webhookHint, type: 'url' }),
});

@DashboardPage({ scope: 'user', path: 'stores/new', name: NAME })
export class NewStorePage {
  constructor(private readonly stores: StoresService) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    const form = NEW_STORE.render(visit, {
      action: '/dashboard/stores/new',
      submit: TEXT.create,
      values: { currency: 'BDT' },
    });
    return visit.shown(html`<section class="card narrow">${form}</section>`);
  }

  @PageAction('', { refusedTo: 'show' })
  async create(visit: Visit): Promise<PageAnswer> {
    const body = await NEW_STORE.read(visit);
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
