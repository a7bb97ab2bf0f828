import { AuthService, PasswordBody } from '../../accounts/index.js';
import { html } from '../../web/html.js';
import { renderField, renderForm } from '../forms.js';
import { DashboardPage, PageAction, PageView } from '../page.js';
import type { PageAnswer } from '../page-definition.js';
import { renderFacts } from '../parts.js';
import type { Visit } from '../visit.js';
import { WORDS } from '../words.js';

const NAME = { en: 'Account', bn: 'অ্যাকাউন্ট' };
const TEXT = {
  current: { en: 'Current password', bn: 'বর্তমান পাসওয়ার্ড' },
  next: { en: 'New password', bn: 'নতুন পাসওয়ার্ড' },
  nextHint: {
    en: 'At least 10 characters. Every other session ends.',
    bn: 'অন্তত ১০ অক্ষর। অন্য সব সেশন শেষ হবে।',
  },
  password: { en: 'Password', bn: 'পাসওয়ার্ড' },
  change: { en: 'Save', bn: 'সেভ করুন' },
};

/** One's own account (decisions §10, §14). */
@DashboardPage({ scope: 'person', path: 'account', name: NAME, order: 30 })
export class AccountPage {
  constructor(private readonly auth: AuthService) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    const { person } = visit;
    const fields = html`${renderField(visit, {
      name: 'currentPassword',
      label: TEXT.current,
      type: 'password',
      autocomplete: 'current-password',
      required: true,
    })}
    ${renderField(visit, {
      name: 'newPassword',
      label: TEXT.next,
      type: 'password',
      autocomplete: 'new-password',
      hint: visit.say(TEXT.nextHint),
      required: true,
    })}`;
    return visit.shown(
      html`<section class="card narrow">
          ${renderFacts([
            [visit.say(WORDS.name), person.name],
            [visit.say(WORDS.email), person.email],
          ])}
        </section>
        <section class="card narrow">
          <h2>${visit.say(TEXT.password)}</h2>
          ${renderForm(visit, { action: '/dashboard/account/password', submit: TEXT.change }, fields)}
        </section>`,
    );
  }

  @PageAction('password', { refusedTo: 'show' })
  async changePassword(visit: Visit): Promise<PageAnswer> {
    const body = await visit.checked(PasswordBody, {
      currentPassword: visit.field('currentPassword'),
      newPassword: visit.field('newPassword'),
    });
    const sessionId = visit.session?.sessionId ?? '';
    await this.auth.changePassword(visit.caller, sessionId, body.currentPassword, body.newPassword);
    return visit.goTo('/dashboard/account', 'password');
  }
}
