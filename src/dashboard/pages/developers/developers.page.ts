import { ServiceSettings } from '../../../platform/config/index.js';
import { numberFromMinor } from '../../../kernel/money.js';
import { type WebhookOutcome, WebhookTestService } from '../../../notifications/index.js';
import {
  ownerInactive,
  SIGN_WITH,
  type SignWith,
  storeChangesOf,
  StoreSecrets,
  StoresService,
  UpdateStoreBody,
} from '../../../stores/index.js';
import { renderCopyBox } from '../../../platform/web/controls.js';
import { html, type Markup, NOTHING } from '../../../platform/web/html.js';
import { renderField, renderForm, renderSelect } from '../../kit/forms.js';
import { DashboardPage, PageAction, PageView } from '../../kit/page.js';
import type { InBothLanguages, PageAnswer } from '../../kit/page-definition.js';
import { renderBadge, renderCode, renderFacts } from '../../kit/parts.js';
import type { Visit } from '../../kit/visit.js';
import { WORDS } from '../../kit/words.js';
import { NAME, TEXT } from './words.js';

const SIGN_WITH_WORDS: Readonly<Record<SignWith, InBothLanguages>> = {
  webhook_secret: TEXT.webhookSecret,
  api_key: TEXT.apiKey,
};

interface Extras {
  /** A secret that was asked for, or has just been made. */
  readonly shown?: { readonly of: 'api_key' | 'webhook_secret' | 'signing_secret'; readonly value: string };
  readonly test?: WebhookOutcome;
}

/**
 * The keys, secrets and samples that a website's backend needs (contract 10.16). Secrets are shown after a press
 * only, which is audited.
 */
@DashboardPage({ scope: 'store', path: 'developers', name: NAME, order: 90, role: 'manager' })
export class DevelopersPage {
  constructor(
    private readonly stores: StoresService,
    private readonly secrets: StoreSecrets,
    private readonly tests: WebhookTestService,
    private readonly settings: ServiceSettings,
  ) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    return this.page(visit, {});
  }

  @PageAction('api-key/rotate', { role: 'manager', refusedTo: 'show', confirm: TEXT.rotateKeySure })
  async rotateApiKey(visit: Visit): Promise<PageAnswer> {
    const value = await this.secrets.rotateApiKey(visit.caller, visit.store.id);
    return this.page(visit, { shown: { of: 'api_key', value } });
  }

  @PageAction('webhook-secret/show', { role: 'manager', refusedTo: 'show' })
  async showWebhookSecret(visit: Visit): Promise<PageAnswer> {
    const value = await this.secrets.reveal(visit.caller, visit.store.id, 'webhook_secret');
    return this.page(visit, { shown: { of: 'webhook_secret', value } });
  }

  @PageAction('webhook-secret/regenerate', {
    role: 'manager',
    refusedTo: 'show',
    confirm: TEXT.regenerateSure,
  })
  async regenerateWebhookSecret(visit: Visit): Promise<PageAnswer> {
    const value = await this.secrets.regenerateWebhookSecret(visit.caller, visit.store.id);
    return this.page(visit, { shown: { of: 'webhook_secret', value } });
  }

  @PageAction('signing-secret/show', { role: 'manager', refusedTo: 'show' })
  async showSigningSecret(visit: Visit): Promise<PageAnswer> {
    const value = await this.secrets.reveal(visit.caller, visit.store.id, 'signing_secret');
    return this.page(visit, { shown: { of: 'signing_secret', value } });
  }

  @PageAction('signing-secret/rotate', {
    role: 'manager',
    refusedTo: 'show',
    confirm: TEXT.rotateSigningSure,
  })
  async rotateSigningSecret(visit: Visit): Promise<PageAnswer> {
    const value = await this.secrets.rotateSigningSecret(visit.caller, visit.store.id);
    return this.page(visit, { shown: { of: 'signing_secret', value } });
  }

  @PageAction('webhook', { role: 'manager', refusedTo: 'show' })
  async saveWebhook(visit: Visit): Promise<PageAnswer> {
    const body = await visit.checked(UpdateStoreBody, {
      webhookUrl: visit.text('webhookUrl'),
      signWith: visit.field('signWith') || visit.store.signWith,
    });
    await this.stores.update(visit.caller, visit.store.id, storeChangesOf(body));
    return visit.goTo(visit.inStore('developers'), 'saved');
  }

  @PageAction('webhook/test', { role: 'manager', refusedTo: 'show' })
  async test(visit: Visit): Promise<PageAnswer> {
    if (!visit.store.ownerActive) throw ownerInactive();
    return this.page(visit, { test: await this.tests.send(visit.store) });
  }

  private page(visit: Visit, extras: Extras): PageAnswer {
    return visit.shown(
      html`${extras.test !== undefined && renderTest(visit, extras.test)}
        <div class="columns">
          <div>${renderSecrets(visit, extras)}</div>
          <div>${renderWebhook(visit)}</div>
        </div>
        ${this.renderSamples(visit)}`,
    );
  }

  private renderSamples(visit: Visit): Markup {
    const base = `${this.settings.publicUrl}/api/v1`;
    const amount = numberFromMinor(50_000);
    const create = `curl ${base}/payments \\
  -H 'X-Api-Key: …${visit.store.apiKeyHint}' -H 'Content-Type: application/json' \\
  -d '{"amount": ${amount}, "note": "Order 1001"}'`;
    const check = `import { createHmac, timingSafeEqual } from 'node:crypto';

// rawBody: the request's bytes, before any parser has seen them
const expected = createHmac('sha256', process.env.JOMA_${visit.store.signWith.toUpperCase()}).update(rawBody).digest();
const given = Buffer.from(request.headers['x-service-signature'], 'hex');
if (given.length !== expected.length || !timingSafeEqual(given, expected)) return response.status(401).end();
// storeId is "${visit.store.id}"`;
    return html`<section class="card">
      <h2>${visit.say(TEXT.samples)}</h2>
      <p class="hint">${visit.say(TEXT.samplesLead)}</p>
      ${renderSample(visit, TEXT.create, create)} ${renderSample(visit, TEXT.check, check)}
      <p><a href="/api/docs">${visit.say(TEXT.documents)}</a></p>
    </section>`;
  }
}

function renderSample(visit: Visit, title: InBothLanguages, code: string): Markup {
  return html`<h3>${visit.say(title)}</h3>
    <div class="sample-code">
      <pre class="code small" translate="no" tabindex="0">${code}</pre>
      <button
        type="button"
        class="copy"
        data-copy="${code}"
        aria-label="${visit.say(WORDS.copy)}: ${visit.say(title)}"
        hidden
      >
        ${visit.say(WORDS.copy)}
      </button>
    </div>`;
}

function renderSecrets(visit: Visit, { shown }: Extras): Markup {
  const secret = (of: NonNullable<Extras['shown']>['of'], name: InBothLanguages) =>
    shown?.of === of
      ? html`<p class="callout" role="status">${visit.say(TEXT.shownNow)}</p>
          ${renderCopyBox(shown.value, html`<span class="code" translate="no">${shown.value}</span>`, {
            copy: visit.say(WORDS.copy),
            label: `${visit.say(WORDS.copy)}: ${visit.say(name)}`,
          })}`
      : NOTHING;
  const button = (path: string, submit: InBothLanguages, name: InBothLanguages) =>
    renderForm(visit, {
      action: visit.inStore(`developers/${path}`),
      submit,
      kind: 'quiet',
      label: `${visit.say(submit)}: ${visit.say(name)}`,
    });
  return html`<section class="card">
      <h2>${visit.say(TEXT.apiKey)}</h2>
      <p class="hint">${visit.say(TEXT.apiKeyLead)}</p>
      ${renderFacts([[visit.say(TEXT.endsIn), renderCode(visit.store.apiKeyHint)]])}
      ${secret('api_key', TEXT.apiKey)} ${button('api-key/rotate', TEXT.rotate, TEXT.apiKey)}
    </section>
    <section class="card">
      <h2>${visit.say(TEXT.webhookSecret)}</h2>
      <p class="hint">${visit.say(TEXT.webhookSecretLead)} ${visit.say(TEXT.audited)}</p>
      ${secret('webhook_secret', TEXT.webhookSecret)}
      <div class="actions">
        ${button('webhook-secret/show', WORDS.show, TEXT.webhookSecret)}
        ${button('webhook-secret/regenerate', TEXT.regenerate, TEXT.webhookSecret)}
      </div>
    </section>
    <section class="card">
      <h2>${visit.say(TEXT.signingSecret)}</h2>
      <p class="hint">${visit.say(TEXT.signingSecretLead)} ${visit.say(TEXT.audited)}</p>
      ${secret('signing_secret', TEXT.signingSecret)}
      <div class="actions">
        ${button('signing-secret/show', WORDS.show, TEXT.signingSecret)}
        ${button('signing-secret/rotate', TEXT.rotate, TEXT.signingSecret)}
      </div>
    </section>`;
}

function renderWebhook(visit: Visit): Markup {
  const fields = html`${renderField(visit, {
    name: 'webhookUrl',
    label: TEXT.address,
    value: visit.store.webhookUrl ?? '',
    type: 'url',
    hint: visit.say(TEXT.addressHint),
    maxlength: 2048,
  })}
  ${renderSelect(visit, {
    name: 'signWith',
    label: TEXT.signWith,
    choices: SIGN_WITH.map((value) => ({ value, text: visit.say(SIGN_WITH_WORDS[value]) })),
    value: visit.store.signWith,
  })}`;
  return html`<section class="card">
    <h2>${visit.say(TEXT.webhook)}</h2>
    ${renderForm(visit, { action: visit.inStore('developers/webhook'), submit: WORDS.save }, fields)}
    ${renderForm(visit, { action: visit.inStore('developers/webhook/test'), submit: TEXT.test, kind: 'quiet' })}
  </section>`;
}

function renderTest(visit: Visit, outcome: WebhookOutcome): Markup {
  return html`<section class="card" role="status">
    <p class="state-line">
      ${renderBadge(visit.say(outcome.ok ? TEXT.testOk : TEXT.testFailed), outcome.ok ? 'good' : 'bad')}
    </p>
    ${renderFacts([
      [visit.say(TEXT.answered), outcome.responseStatus],
      [visit.say(TEXT.error), outcome.error],
      [visit.say(TEXT.duration), `${visit.count(outcome.durationMs)} ${visit.say(TEXT.milliseconds)}`],
    ])}
    ${
      !(outcome.responseExcerpt === null || outcome.responseExcerpt === '') &&
      html`<h2>${visit.say(TEXT.excerpt)}</h2>
        <pre class="code small" tabindex="0">${outcome.responseExcerpt}</pre>`
    }
  </section>`;
}
