import { AuthService, PasswordBody, SecondFactor, type SessionRecord } from '../../../accounts/index.js';
import { PageQuery } from '../../../platform/http/index.js';
import { html, type Markup, NOTHING } from '../../../platform/web/html.js';
import { renderForm } from '../../kit/forms.js';
import { AccountFirst } from '../../kit/dashboard.problems.js';
import { DashboardPage, PageAction, PageView } from '../../kit/page.js';
import type { PageAnswer } from '../../kit/page-definition.js';
import { renderBadge, renderFacts, renderTime } from '../../kit/parts.js';
import type { Visit } from '../../kit/visit.js';
import { WORDS } from '../../kit/words.js';
import { renderRemoval, renderSecondFactor } from '../second-factor/second-factor.page.js';
import { NAME, TEXT } from './words.js';
import { Form, password } from '../../kit/form.js';

const NEW_PASSWORD = new Form(PasswordBody, {
  currentPassword: password({ label: TEXT.current }, 'current-password'),
  newPassword: password({ label: TEXT.next, hint: TEXT.nextHint }, 'new-password'),
});

/** One's own account (contract 10.16 and 14.23). */
@DashboardPage({ scope: 'user', path: 'account', name: NAME, order: 30 })
export class AccountPage {
  constructor(
    private readonly auth: AuthService,
    private readonly secondFactor: SecondFactor,
  ) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    const { user } = visit;
    const { restriction = null, isBySso = false } = visit.session ?? {};
    const passwordCard = html`<section class="card narrow">
      <h2>${visit.say(TEXT.password)}</h2>
      ${NEW_PASSWORD.render(visit, { action: '/dashboard/account/password', submit: TEXT.change })}
    </section>`;
    const removedAt = await this.secondFactor.findRemoval(visit.caller);
    return visit.shown(
      html`${renderRestriction(visit)} ${removedAt !== null && renderRemoval(visit, removedAt)}
        <section class="card narrow">
          ${renderFacts([
            [visit.say(WORDS.name), user.name],
            [visit.say(WORDS.email), user.email],
          ])}
          ${isBySso && html`<p class="hint">${visit.say(TEXT.bySso)}</p>`}
        </section>
        ${!(isBySso || restriction === 'password_change') && renderSecondFactor(visit)}
        ${!isBySso && passwordCard}
        ${restriction === null && renderSessions(visit, await this.listSessions(visit))}`,
    );
  }

  private async listSessions(visit: Visit): Promise<readonly SessionRecord[]> {
    const query = await visit.checked(PageQuery, { limit: 100 });
    return (await this.auth.listSessions(visit.user.id, query)).data;
  }

  @PageAction('sessions/:sessionId/end', { refusedTo: 'show' })
  async endSession(visit: Visit): Promise<PageAnswer> {
    if (visit.session?.restriction != null) throw new AccountFirst();
    await this.auth.endSession(visit.caller, visit.idOf('sessionId'));
    return visit.goTo('/dashboard/account', 'ended');
  }

  @PageAction('password', { refusedTo: 'show' })
  async changePassword(visit: Visit): Promise<PageAnswer> {
    const body = await NEW_PASSWORD.read(visit);
    const sessionId = visit.session?.sessionId ?? '';
    await this.auth.changePassword(visit.caller, sessionId, body.currentPassword, body.newPassword);
    // A user who had to do this first was on the way to another page.
    const isFree = visit.session?.restriction === 'password_change';
    return visit.goTo(isFree ? '/dashboard/stores' : '/dashboard/account', 'password');
  }
}

function renderRestriction(visit: Visit): Markup {
  const restriction = visit.session?.restriction ?? null;
  if (restriction === null) return NOTHING;
  return html`<p class="callout notice" role="status">
    ${visit.say(restriction === 'password_change' ? TEXT.mustChange : TEXT.mustSecure)}
  </p>`;
}

function renderSessions(visit: Visit, sessions: readonly SessionRecord[]): Markup {
  return html`<section class="card narrow">
    <h2>${visit.say(TEXT.sessions)}</h2>
    <ul class="sessions">
      ${sessions.map((session) => {
        const name = session.userAgent ?? visit.say(TEXT.unknown);
        return html`<li>
          <p>${name}</p>
          <p class="hint">${session.address} · ${renderTime(visit, session.lastUsedAt)}</p>
          ${
            session.id === visit.session?.sessionId
              ? renderBadge(visit.say(TEXT.thisOne), 'good')
              : renderForm(visit, {
                  action: `/dashboard/account/sessions/${session.id}/end`,
                  submit: TEXT.end,
                  kind: 'quiet',
                })
          }
        </li>`;
      })}
    </ul>
  </section>`;
}
