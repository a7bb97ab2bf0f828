import {
  AddMemberBody,
  ChangeMemberBody,
  MEMBER_ROLES,
  MembersService,
  type NamedMember,
} from '../../../stores/index.js';
import { html, type Markup } from '../../../platform/web/html.js';
import { renderForm } from '../../kit/forms.js';
import { DashboardPage, PageAction, PageView } from '../../kit/page.js';
import type { PageAnswer } from '../../kit/page-definition.js';
import { renderBadge, renderFacts, renderPager, renderRows, renderTime } from '../../kit/parts.js';
import type { Visit } from '../../kit/visit.js';
import { WORDS } from '../../kit/words.js';
import { NAME, ROLE_LEADS, ROLE_WORDS, TEXT } from './words.js';
import { choice, Form, text } from '../../kit/form.js';

const ROLE = choice({ label: TEXT.role }, (visit) =>
  MEMBER_ROLES.map((role) => ({ value: role, text: visit.say(ROLE_WORDS[role]) })),
);
const NEW_MEMBER = new Form(AddMemberBody, {
  email: text({ label: WORDS.email, hint: TEXT.emailHint, type: 'email' }),
  role: ROLE,
});
const MEMBER = new Form(ChangeMemberBody, { role: ROLE });

/** The members of the store (contract 15.1): managers read the list, the owner and admins change it. */
@DashboardPage({ scope: 'store', path: 'members', name: NAME, order: 115, role: 'manager' })
export class MembersPage {
  constructor(private readonly members: MembersService) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    const page = await this.members.listOfStore(visit.store.id, await visit.pageQuery());
    return visit.shown(
      html`<div class="columns">
        <div>${renderRows(page.data.map((member) => rowOf(visit, member)))} ${renderPager(visit, page)}</div>
        <div>${mayChange(visit) && renderAdd(visit)} ${renderRoles(visit)}</div>
      </div>`,
    );
  }

  @PageAction('', { role: 'owner', refusedTo: 'show', findsTyped: true })
  async add(visit: Visit): Promise<PageAnswer> {
    const body = await NEW_MEMBER.read(visit);
    await this.members.add(visit.caller, visit.store, body);
    return visit.goTo(visit.inStore('members'), 'added');
  }
}

@DashboardPage({ scope: 'store', path: 'members/:userId', name: TEXT.one, role: 'manager' })
export class MemberPage {
  constructor(private readonly members: MembersService) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    const member = await this.members.get(visit.store, visit.idOf('userId'));
    const since = member.role === 'owner' ? TEXT.ownerSince : TEXT.since;
    return visit.shown(
      html`<section class="card narrow">
          ${renderFacts([
            [visit.say(WORDS.email), member.email],
            [visit.say(TEXT.role), visit.say(ROLE_WORDS[member.role])],
            [visit.say(since), renderTime(visit, member.createdAt)],
          ])}
          ${member.role === 'owner' && html`<p class="hint">${visit.say(TEXT.stays)}</p>`}
        </section>
        ${visit.may('owner') && member.role !== 'owner' && renderChanges(visit, member)}`,
      { heading: member.name === '' ? member.email : member.name },
    );
  }

  @PageAction('', { role: 'owner', refusedTo: 'show' })
  async change(visit: Visit): Promise<PageAnswer> {
    const { role } = await MEMBER.read(visit);
    const userId = visit.idOf('userId');
    await this.members.change(visit.caller, visit.store, userId, role);
    return visit.goTo(visit.inStore(`members/${userId}`), 'saved');
  }

  @PageAction('remove', { role: 'owner', refusedTo: 'show', confirm: TEXT.removeSure })
  async remove(visit: Visit): Promise<PageAnswer> {
    await this.members.remove(visit.caller, visit.store, visit.idOf('userId'));
    return visit.goTo(visit.inStore('members'), 'removed');
  }
}

function mayChange(visit: Visit): boolean {
  return visit.may('owner') && visit.store.archivedAt === null;
}

function rowOf(visit: Visit, member: NamedMember) {
  return {
    href: visit.inStore(`members/${member.userId}`),
    main: member.name === '' ? member.email : member.name,
    aside: renderBadge(visit.say(ROLE_WORDS[member.role]), member.role === 'owner' ? 'good' : 'plain'),
    below: member.name === '' ? undefined : member.email,
  };
}

function renderAdd(visit: Visit): Markup {
  return html`<section class="card">
    <h2>${visit.say(TEXT.addTitle)}</h2>
    ${NEW_MEMBER.render(visit, { action: visit.inStore('members'), submit: WORDS.add, values: { role: 'viewer' } })}
  </section>`;
}

function renderRoles(visit: Visit): Markup {
  return html`<section class="card">
    <h2>${visit.say(TEXT.whoMay)}</h2>
    <dl class="explained">
      ${([...MEMBER_ROLES, 'owner'] as const).map(
        (role) =>
          html`<dt>${visit.say(ROLE_WORDS[role])}</dt>
            <dd>${visit.say(ROLE_LEADS[role])}</dd>`,
      )}
    </dl>
  </section>`;
}

function renderChanges(visit: Visit, member: NamedMember): Markup {
  const path = visit.inStore(`members/${member.userId}`);
  return html`${
      visit.store.archivedAt === null &&
      html`<section class="card narrow">
        ${MEMBER.render(visit, { action: path, submit: WORDS.save, values: { role: member.role } })}
      </section>`
    }
    <section class="card narrow">
      <p class="hint">${visit.say(TEXT.removeLead)}</p>
      ${renderForm(visit, { action: `${path}/remove`, submit: TEXT.remove, kind: 'danger' })}
    </section>`;
}
