import {
  AccountsService,
  CreateUserBody,
  type Role,
  SecondFactor,
  UpdateUserBody,
} from '../../../accounts/index.js';
import { html } from '../../../platform/web/html.js';
import { renderCheckbox, renderField, renderForm, renderSelect } from '../../kit/forms.js';
import { DashboardPage, PageAction, PageView } from '../../kit/page.js';
import type { PageAnswer } from '../../kit/page-definition.js';
import { renderBadge, renderFacts, renderPager, renderRows } from '../../kit/parts.js';
import type { Visit } from '../../kit/visit.js';
import { WORDS } from '../../kit/words.js';
import { NAME, ROLE_WORDS, TEXT } from './words.js';

/** The users who may sign in, for admins (contract 10.16). */
@DashboardPage({ scope: 'admin', path: 'people', name: NAME, order: 20 })
export class UsersPage {
  constructor(private readonly accounts: AccountsService) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    const page = await this.accounts.listUsers(await visit.pageQuery());
    const fields = html`${renderField(visit, { name: 'name', label: WORDS.name, required: true, maxlength: 200 })}
    ${renderField(visit, { name: 'email', label: WORDS.email, type: 'email', required: true, maxlength: 254 })}
    ${renderField(visit, {
      name: 'password',
      label: WORDS.password,
      type: 'password',
      autocomplete: 'new-password',
      hint: visit.say(TEXT.passwordHint),
      required: true,
    })}
    ${renderRole(visit, 'merchant')}`;
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
          ${renderForm(visit, { action: '/dashboard/people', submit: WORDS.add }, fields)}
        </section>`,
    );
  }

  @PageAction('', { refusedTo: 'show' })
  async create(visit: Visit): Promise<PageAnswer> {
    const body = await visit.checked(CreateUserBody, {
      name: visit.field('name'),
      email: visit.field('email'),
      password: visit.field('password'),
      role: visit.field('role'),
      mustChangePassword: true,
    });
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
    const fields = html`${renderField(visit, { name: 'name', label: WORDS.name, value: user.name, required: true, maxlength: 200 })}
    ${renderRole(visit, user.role)}
    ${renderCheckbox(visit, {
      name: 'active',
      label: TEXT.active,
      checked: user.active,
      hint: visit.say(TEXT.activeHint),
    })}`;
    return visit.shown(
      html`<section class="card narrow">
        ${renderFacts([[visit.say(WORDS.email), user.email]])}
        ${renderForm(visit, { action: `/dashboard/people/${user.id}`, submit: WORDS.save }, fields)}
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
    const body = await visit.checked(UpdateUserBody, {
      name: visit.field('name'),
      role: visit.field('role'),
      active: visit.field('active') !== '',
    });
    const id = visit.idOf('userId');
    await this.accounts.update(visit.caller, id, body);
    return visit.goTo(`/dashboard/people/${id}`, 'saved');
  }
}

function renderRole(visit: Visit, value: Role) {
  return renderSelect(visit, {
    name: 'role',
    label: TEXT.role,
    value,
    choices: (['merchant', 'admin'] as const).map((role) => ({
      value: role,
      text: visit.say(ROLE_WORDS[role]),
    })),
  });
}
