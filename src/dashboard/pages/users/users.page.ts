import { AccountsService, CreateUserBody, SecondFactor, UpdateUserBody } from '../../../accounts/index.js';
import { html } from '../../../platform/web/html.js';
import { renderForm } from '../../kit/forms.js';
import { DashboardPage, PageAction, PageView } from '../../kit/page.js';
import type { PageAnswer } from '../../kit/page-definition.js';
import { renderBadge, renderFacts, renderPager, renderRows } from '../../kit/parts.js';
import type { Visit } from '../../kit/visit.js';
import { WORDS } from '../../kit/words.js';
import { NAME, ROLE_WORDS, TEXT } from './words.js';
import { checkbox, choice, Form, password, text } from '../../kit/form.js';

const ROLE = choice({ label: TEXT.role }, (visit) =>
  (['merchant', 'admin'] as const).map((role) => ({ value: role, text: visit.say(ROLE_WORDS[role]) })),
);

const NEW_USER = new Form(CreateUserBody, {
  name: text({ label: WORDS.name }),
  email: text({ label: WORDS.email, type: 'email' }),
  password: password({ label: WORDS.password, hint: TEXT.passwordHint }, 'new-password'),
  role: ROLE,
});

const USER = new Form(UpdateUserBody, {
  name: text({ label: WORDS.name, required: true }),
  role: ROLE,
  active: checkbox({ label: TEXT.active, hint: TEXT.activeHint }),
});

/** The users who may sign in, for admins (contract 10.16). */
@DashboardPage({ scope: 'admin', path: 'people', name: NAME, order: 20 })
export class UsersPage {
  constructor(private readonly accounts: AccountsService) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    const page = await this.accounts.listUsers(await visit.pageQuery());
    return visit.shown(
      html`${renderRows(
          page.data.map((user) => ({
            href: `/dashboard/people/${user.id}`,
            main: user.name,
            aside: html`${renderBadge(visit.say(ROLE_WORDS[user.role]), 'plain')}
            ${!user.active && renderBadge(visit.say(TEXT.inactive), 'over')}`,
            below: user.email,
          })),
        )}
        ${renderPager(visit, page)}
        <section class="card narrow">
          <h2>${visit.say(TEXT.add)}</h2>
          ${NEW_USER.render(visit, { action: '/dashboard/people', submit: WORDS.add, values: { role: 'merchant' } })}
        </section>`,
    );
  }

  @PageAction('', { refusedTo: 'show' })
  async create(visit: Visit): Promise<PageAnswer> {
    const body = await NEW_USER.read(visit, { mustChangePassword: true });
    const user = await this.accounts.create(visit.caller, body);
    return visit.goTo(`/dashboard/people/${user.id}`, 'created');
  }
}

@DashboardPage({ scope: 'admin', path: 'people/:userId', name: TEXT.one })
export class UserPage {
  constructor(
    private readonly accounts: AccountsService,
    private readonly secondFactor: SecondFactor,
  ) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    const user = await this.accounts.getUser(visit.idOf('userId'));
    const { id, name, role, active } = user;
    const form = USER.render(visit, {
      action: `/dashboard/people/${id}`,
      submit: WORDS.save,
      values: { name, role, active },
    });
    return visit.shown(
      html`<section class="card narrow">
        ${renderFacts([[visit.say(WORDS.email), user.email]])} ${form}
        ${
          user.hasSecondFactor &&
          renderForm(visit, {
            action: `/dashboard/people/${user.id}/second-factor/remove`,
            submit: TEXT.removeSecondFactor,
            kind: 'danger',
          })
        }
      </section>`,
      { heading: user.name },
    );
  }

  @PageAction('second-factor/remove', { confirm: TEXT.removeSecondFactorHint })
  async removeSecondFactor(visit: Visit): Promise<PageAnswer> {
    const id = visit.idOf('userId');
    await this.secondFactor.removeOf(visit.caller, id);
    return visit.goTo(`/dashboard/people/${id}`, 'removed');
  }

  @PageAction('', { refusedTo: 'show' })
  async save(visit: Visit): Promise<PageAnswer> {
    const body = await USER.read(visit);
    const id = visit.idOf('userId');
    await this.accounts.update(visit.caller, id, body);
    return visit.goTo(`/dashboard/people/${id}`, 'saved');
  }
}
