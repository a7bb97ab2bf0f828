import { CreateStoreBody, type CreatedStore, StoresService, walletOf } from '../../../stores/index.js';
import { renderCopyBox } from '../../../platform/web/controls.js';
import { html, type Markup } from '../../../platform/web/html.js';
import { renderField, renderForm } from '../../kit/forms.js';
import { DashboardPage, PageAction, PageView } from '../../kit/page.js';
import type { PageAnswer } from '../../kit/page-definition.js';
import type { Visit } from '../../kit/visit.js';
import { WORDS } from '../../kit/words.js';

const NAME = { en: 'New store', bn: 'নতুন দোকান' };
const TEXT = {
  nameHint: { en: 'What your customers see while they pay.', bn: 'টাকা দেওয়ার সময় ক্রেতারা যা দেখেন।' },
  currencyHint: {
    en: 'Three letters. The wallets of Bangladesh pay in BDT.',
    bn: 'তিন অক্ষর। বাংলাদেশের ওয়ালেট BDT-তে চলে।',
  },
  webhook: { en: 'Webhook address', bn: 'ওয়েবহুকের ঠিকানা' },
  webhookHint: {
    en: 'Where your website hears of payments. You can leave it out, and give it later.',
    bn: 'আপনার ওয়েবসাইট যেখানে পেমেন্টের খবর পাবে। এখন ফাঁকা রাখা যায়।',
  },
  create: { en: 'Add', bn: 'যোগ করুন' },
  made: { en: 'The store is ready', bn: 'দোকান তৈরি' },
  secretsOnce: {
    en: 'Put these into your website’s backend and your phone’s app now. The API key is shown only this once; the two others can be shown again under Developers.',
    bn: 'এগুলো এখনই আপনার ওয়েবসাইটের ব্যাকএন্ডে ও ফোনের অ্যাপে বসান। API কী শুধু এবারই দেখা যাবে; বাকি দুটি পরে ‘ডেভেলপার’ পাতায় আবার দেখা যায়।',
  },
  apiKey: { en: 'API key', bn: 'API কী' },
  webhookSecret: { en: 'Webhook secret', bn: 'ওয়েবহুক সিক্রেট' },
  signingSecret: { en: 'Signing secret', bn: 'সাইনিং সিক্রেট' },
  onwards: { en: 'To the store', bn: 'দোকানে যান' },
};

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
