import {
  RemoveSecondFactorBody,
  SecondFactor,
  SecondFactorCodeBody,
  StartSecondFactorBody,
} from '../../../accounts/index.js';
import { renderCopyBox, renderCopyButton } from '../../../platform/web/controls.js';
import { html, type Markup } from '../../../platform/web/html.js';
import { latinDigits } from '../../../platform/web/numerals.js';
import { renderQrSvg } from '../../../platform/web/qr-svg.js';
import { renderField, renderForm } from '../../kit/forms.js';
import { DashboardPage, PageAction, PageView } from '../../kit/page.js';
import type { InBothLanguages, PageAnswer } from '../../kit/page-definition.js';
import { renderBadge, renderTime } from '../../kit/parts.js';
import type { Visit } from '../../kit/visit.js';
import { WORDS } from '../../kit/words.js';
import { secondFactorOf } from '../sign-in/sign-in.page.js';
import { CODE } from '../sign-in/words.js';
import { NAME, TEXT } from './words.js';

const ACCOUNT = '/dashboard/account';
const PATH = `${ACCOUNT}/second-factor`;

/** Says that an admin removed the second factor, until the user has read it (contract 14.20). */
export function renderRemoval(visit: Visit, removedAt: Date): Markup {
  const [before = '', after = ''] = visit.say(TEXT.removedByAdmin).split('{date}');
  return html`<section class="card narrow">
    <p class="callout notice" role="status">${before}${renderTime(visit, removedAt)}${after}</p>
    ${renderForm(visit, { action: `${PATH}/dismiss`, submit: TEXT.dismiss, kind: 'quiet' })}
  </section>`;
}

/** A button that leads to the page on which setting up begins. */
function renderWayToSetUp(visit: Visit, label: InBothLanguages): Markup {
  return html`<form method="get" action="${PATH}"><button class="quiet">${visit.say(label)}</button></form>`;
}

/** The part of one's account about it: off, with what it is good for; or on, with what takes it away. */
export function renderSecondFactor(visit: Visit): Markup {
  const isOn = visit.session?.hasSecondFactor === true;
  const codeField = renderField(visit, {
    name: 'code',
    label: CODE,
    hint: visit.say(TEXT.removeHint),
    autocomplete: 'one-time-code',
    maxlength: 40,
    code: true,
    required: true,
  });
  return html`<section class="card narrow">
    <h2>${visit.say(NAME)} ${isOn ? renderBadge(visit.say(TEXT.on), 'good') : ''}</h2>
    <p class="hint">${visit.say(TEXT.lead)}</p>
    ${
      isOn
        ? renderForm(visit, { action: `${PATH}/remove`, submit: TEXT.remove, kind: 'danger' }, codeField)
        : renderWayToSetUp(visit, TEXT.setUp)
    }
  </section>`;
}

/**
 * Setting up a second factor (contract 14.13). The key and the recovery codes stand in answers to presses alone, so
 * that no address shows them again.
 */
@DashboardPage({ scope: 'user', path: 'account/second-factor', name: NAME })
export class SecondFactorPage {
  constructor(private readonly secondFactor: SecondFactor) {}

  @PageView()
  show(visit: Visit): Promise<PageAnswer> {
    if (visit.session?.hasSecondFactor === true)
      return Promise.resolve(visit.shown(renderSecondFactor(visit)));
    const password = renderField(visit, {
      name: 'currentPassword',
      label: TEXT.current,
      type: 'password',
      autocomplete: 'current-password',
      required: true,
    });
    return Promise.resolve(
      visit.shown(
        html`<section class="card narrow">
          <p class="hint">${visit.say(TEXT.lead)}</p>
          ${renderForm(visit, { action: PATH, submit: TEXT.setUp }, password)}
        </section>`,
      ),
    );
  }

  @PageAction('', { refusedTo: 'show' })
  async start(visit: Visit): Promise<PageAnswer> {
    const { currentPassword } = await visit.checked(StartSecondFactorBody, {
      currentPassword: visit.field('currentPassword'),
    });
    return this.showKey(
      visit,
      await this.secondFactor.start(visit.caller, sessionOf(visit), currentPassword),
    );
  }

  @PageAction('confirm', { refusedTo: 'showStarted' })
  async confirm(visit: Visit): Promise<PageAnswer> {
    const { code } = await visit.checked(SecondFactorCodeBody, { code: digitsOf(visit.field('code')) });
    const codes = await this.secondFactor.confirm(visit.caller, sessionOf(visit), code);
    return visit.shown(renderRecoveryCodes(visit, codes), { heading: visit.say(TEXT.recovery) });
  }

  @PageAction('remove', { refusedTo: 'show' })
  async remove(visit: Visit): Promise<PageAnswer> {
    const proof = await visit.checked(RemoveSecondFactorBody, secondFactorOf(visit.text('code')));
    await this.secondFactor.remove(visit.caller, sessionOf(visit), proof);
    return visit.goTo(ACCOUNT, 'removed');
  }

  /** The user has read that an admin removed the second factor. */
  @PageAction('dismiss')
  async dismiss(visit: Visit): Promise<PageAnswer> {
    await this.secondFactor.dismissRemoval(visit.caller);
    return visit.goTo(ACCOUNT);
  }

  /** After a wrong code: the same key again, or the beginning where there is none any more. */
  async showStarted(visit: Visit): Promise<PageAnswer> {
    const started = await this.secondFactor.findStarted(visit.caller);
    return started === null ? this.show(visit) : this.showKey(visit, started);
  }

  private showKey(visit: Visit, { secret, uri }: { secret: string; uri: string }): PageAnswer {
    const codeField = renderField(visit, {
      name: 'code',
      label: CODE,
      hint: visit.say(TEXT.codeHint),
      autocomplete: 'one-time-code',
      inputmode: 'numeric',
      maxlength: 20,
      code: true,
      required: true,
    });
    const groups = secret.match(/.{1,4}/g)?.join(' ') ?? secret;
    return visit.shown(
      html`<section class="card narrow">
        <p>${visit.say(TEXT.scan)}</p>
        <figure class="qr">${renderQrSvg(uri, visit.say(TEXT.qr))}</figure>
        <p class="hint">${visit.say(TEXT.key)}</p>
        ${renderCopyBox(secret, html`<span class="code small" translate="no">${groups}</span>`, {
          copy: visit.say(WORDS.copy),
          label: `${visit.say(WORDS.copy)}: ${visit.say(TEXT.key)}`,
        })}
        ${renderForm(visit, { action: `${PATH}/confirm`, submit: WORDS.confirm }, codeField)}
        ${renderWayToSetUp(visit, TEXT.again)}
      </section>`,
    );
  }
}

function renderRecoveryCodes(visit: Visit, codes: readonly string[]): Markup {
  return html`<section class="card narrow">
    <p class="callout notice notice-done" role="status">${visit.say(TEXT.done)}</p>
    <p>${visit.say(TEXT.recoveryLead)}</p>
    <ol class="recovery-codes code" translate="no">
      ${codes.map((code) => html`<li>${code}</li>`)}
    </ol>
    <p class="buttons">
      ${renderCopyButton(codes.join('\n'), {
        copy: visit.say(WORDS.copy),
        label: `${visit.say(WORDS.copy)}: ${visit.say(TEXT.recovery)}`,
      })}
      <a class="primary" href="${visit.session?.restriction == null ? ACCOUNT : '/dashboard/stores'}"
        >${visit.say(TEXT.kept)}</a
      >
    </p>
  </section>`;
}

function digitsOf(typed: string): string {
  return latinDigits(typed).replace(/\s+/g, '');
}

function sessionOf(visit: Visit): string {
  return visit.session?.sessionId ?? '';
}
