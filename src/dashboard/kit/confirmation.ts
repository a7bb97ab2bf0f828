import { html } from '../../platform/web/html.js';
import { ICONS } from '../../platform/web/icons.js';
import { CONFIRM_FIELD, TOKEN_FIELD } from './forms.js';
import type { InBothLanguages, PageAnswer } from './page-definition.js';
import type { Visit } from './visit.js';
import { WORDS } from './words.js';

/** Asks once more before what cannot be undone: the same form again, with what was sent in it, and one button more. */
export function renderConfirmation(visit: Visit, question: InBothLanguages): PageAnswer {
  const fields = Object.entries((visit.request.body ?? {}) as Record<string, unknown>).filter(
    ([name, value]) => typeof value === 'string' && name !== TOKEN_FIELD && name !== CONFIRM_FIELD,
  );
  const back = visit.request.headers.referer;
  const backPath = back !== undefined && URL.canParse(back) ? new URL(back).pathname : null;
  return {
    heading: visit.say(WORDS.confirm),
    content: html`<section class="card confirm">
      <p class="callout">${ICONS.alert}<span>${visit.say(question)}</span></p>
      <form method="post" action="${visit.request.url}" class="buttons">
        <input type="hidden" name="${TOKEN_FIELD}" value="${visit.formToken}" />
        <input type="hidden" name="${CONFIRM_FIELD}" value="yes" />
        ${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${String(value)}" />`)}
        <button type="submit" class="primary danger">${visit.say(WORDS.confirm)}</button>
        ${
          backPath?.startsWith('/dashboard') === true &&
          html`<a class="quiet" href="${backPath}">${visit.say(WORDS.goBack)}</a>`
        }
      </form>
    </section>`,
  };
}
