import { SsoSignIn, DashboardSessions, LoginBody } from '../../../accounts/index.js';
import { ServiceSettings } from '../../../platform/config/index.js';
import { html, type Markup } from '../../../platform/web/html.js';
import { latinDigits } from '../../../platform/web/numerals.js';
import { cookie, SESSION_COOKIE } from '../../kit/form-tokens.js';
import { renderField, renderForm } from '../../kit/forms.js';
import { DashboardPage, PageAction, PageView } from '../../kit/page.js';
import type { PageAnswer } from '../../kit/page-definition.js';
import type { Visit } from '../../kit/visit.js';
import { WORDS } from '../../kit/words.js';
import { BY_COMPANY, CODE, CODE_HINT, LEAD, OR } from './words.js';

const SESSION_COOKIE_SECONDS = 30 * 24 * 60 * 60;

/** Signing in with a browser (contract 10.11). */
@DashboardPage({ scope: 'public', path: 'sign-in', name: WORDS.signIn })
export class SignInPage {
  private readonly secure: boolean;

  constructor(
    private readonly sessions: DashboardSessions,
    private readonly company: SsoSignIn,
    settings: ServiceSettings,
  ) {
    this.secure = settings.publicUrl.startsWith('https:');
  }

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    if (visit.session !== null && visit.refusal === null) return visit.goTo(nextOf(visit));
    const fields = html`${renderField(visit, {
        name: 'email',
        label: WORDS.email,
        type: 'email',
        autocomplete: 'username',
        required: true,
      })}
      ${renderField(visit, {
        name: 'password',
        label: WORDS.password,
        type: 'password',
        autocomplete: 'current-password',
        required: true,
      })}
      ${renderField(visit, {
        name: 'code',
        label: CODE,
        hint: visit.say(CODE_HINT),
        autocomplete: 'one-time-code',
        maxlength: 40,
        code: true,
      })} <input type="hidden" name="next" value="${nextOf(visit)}" />`;
    return visit.shown(
      html`<section class="card narrow">
        <p class="hint">${visit.say(LEAD)}</p>
        ${this.company.isOffered && renderSsoLink(visit, nextOf(visit))}
        ${renderForm(visit, { action: '/dashboard/sign-in', submit: WORDS.signIn }, fields)}
      </section>`,
    );
  }

  @PageAction('', { refusedTo: 'show' })
  async signIn(visit: Visit): Promise<PageAnswer> {
    const { email, password } = await visit.checked(LoginBody, {
      email: visit.field('email').trim(),
      password: visit.field('password'),
    });
    const token = await this.sessions.open({
      ...{ email, password },
      address: visit.request.ip,
      userAgent: visit.request.headers['user-agent'] ?? null,
      ...secondFactorOf(visit.text('code')),
    });
    await takeSession(visit, this.sessions, token, this.secure);
    return visit.goTo(nextOf(visit));
  }
}

/**
 * Gives the browser its new session. Ends the one that it had: the browser forgets that token, and nobody else should
 * keep it (contract 14.26).
 */
export async function takeSession(
  visit: Visit,
  sessions: DashboardSessions,
  token: string,
  secure: boolean,
): Promise<void> {
  if (visit.session !== null) await sessions.end(visit.session, visit.request.ip);
  const options = { secure, maxAgeSeconds: SESSION_COOKIE_SECONDS };
  void visit.reply.header('Set-Cookie', cookie(SESSION_COOKIE, token, options));
}

/** Six digits are the app's; anything else is a code for when the app is lost. */
export function secondFactorOf(code: string | null): { code?: string; recoveryCode?: string } {
  if (code === null) return {};
  const digits = latinDigits(code).replace(/\s+/g, '');
  return /^\d{6}$/.test(digits) ? { code: digits } : { recoveryCode: code };
}

/** A link, no form: a form of this page may lead nowhere but here. */
export function renderSsoLink(visit: Visit, next: string): Markup {
  const query = next === '/dashboard' ? '' : `?next=${encodeURIComponent(next)}`;
  return html`<p class="buttons">
      <a class="quiet" href="/dashboard/sign-in/company${query}">${visit.say(BY_COMPANY)}</a>
    </p>
    <p class="or"><span>${visit.say(OR)}</span></p>`;
}

/** The page to open after the sign-in: a path that a browser resolves to a page of the dashboard (contract 14.27). */
export function nextOf(visit: Visit): string {
  const wanted = visit.request.method === 'POST' ? visit.field('next') : visit.query('next');
  if (!/^\/dashboard(?:[/?][\x21-\x7e]*)?$/.test(wanted) || wanted.includes('//') || wanted.includes('\\'))
    return '/dashboard';
  const { pathname, search } = new URL(wanted, 'http://dashboard.invalid');
  if (!/^\/dashboard(?:\/|$)/.test(pathname) || pathname.startsWith('/dashboard/sign-')) return '/dashboard';
  return pathname + search;
}

@DashboardPage({ scope: 'public', path: 'sign-out', name: WORDS.signOut })
export class SignOutPage {
  private readonly secure: boolean;

  constructor(
    private readonly sessions: DashboardSessions,
    settings: ServiceSettings,
  ) {
    this.secure = settings.publicUrl.startsWith('https:');
  }

  @PageAction()
  async signOut(visit: Visit): Promise<PageAnswer> {
    if (visit.session !== null) await this.sessions.end(visit.session, visit.request.ip);
    void visit.reply.header('Set-Cookie', cookie(SESSION_COOKIE, '', { secure: this.secure }));
    return visit.goTo('/dashboard/sign-in', 'signed_out');
  }
}
