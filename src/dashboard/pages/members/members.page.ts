import {
  AddMemberBody,
  ChangeMemberBody,
  MEMBER_ROLES,
  type MemberRole,
  MembersService,
  type NamedMember,
} from '../../../stores/index.js';
import { html, type Markup, NOTHING } from '../../../platform/web/html.js';
import { renderField, renderForm, renderSelect } from '../../kit/forms.js';
import { DashboardPage, PageAction, PageView } from '../../kit/page.js';
import type { InBothLanguages, PageAnswer } from '../../kit/page-definition.js';
import { renderBadge, renderFacts, renderPager, renderRows, renderTime } from '../../kit/parts.js';
import type { Visit } from '../../kit/visit.js';
import { WORDS } from '../../kit/words.js';

const NAME = { en: 'Members', bn: 'সদস্য' };
const TEXT = {
  one: { en: 'Member', bn: 'সদস্য' },
  role: { en: 'Role', bn: 'ভূমিকা' },
  addTitle: { en: 'Add a member', bn: 'সদস্য যোগ করুন' },
  emailHint: {
    en: 'Of somebody who has an account here already; an admin creates accounts.',
    bn: 'যাঁর এখানে আগেই অ্যাকাউন্ট আছে; অ্যাকাউন্ট তৈরি করেন অ্যাডমিন।',
  },
  since: { en: 'Member since', bn: 'সদস্য হয়েছেন' },
  ownerSince: { en: 'Owner since', bn: 'মালিক হয়েছেন' },
  stays: {
    en: 'The owner of the store cannot be changed or removed here.',
    bn: 'দোকানের মালিককে এখানে বদলানো বা সরানো যায় না।',
  },
  remove: { en: 'Remove', bn: 'সরান' },
  removeLead: {
    en: 'The store disappears for this person with their next press.',
    bn: 'সরালে পরের চাপেই তিনি আর দোকানটি দেখতে পাবেন না।',
  },
  removeSure: {
    en: 'This person loses the store at once. They can be added again later.',
    bn: 'তিনি এখনই দোকানটি হারাবেন। পরে আবার যোগ করা যাবে।',
  },
  whoMay: { en: 'Who may what', bn: 'কে কী পারেন' },
};

const ROLE_WORDS: Readonly<Record<MemberRole | 'owner', InBothLanguages>> = {
  viewer: { en: 'Viewer', bn: 'দর্শক' },
  reviewer: { en: 'Reviewer', bn: 'যাচাইকারী' },
  manager: { en: 'Manager', bn: 'ম্যানেজার' },
  owner: { en: 'Owner', bn: 'মালিক' },
};

const ROLE_LEADS: Readonly<Record<MemberRole | 'owner', InBothLanguages>> = {
  viewer: {
    en: 'reads payments, receipts, messages and deliveries.',
    bn: 'পেমেন্ট, রসিদ, বার্তা ও ডেলিভারি দেখেন।',
  },
  reviewer: {
    en: 'also decides reviews, matches and voids receipts, makes payments and links, records refunds, sends deliveries again.',
    bn: 'আরও: যাচাইয়ের সিদ্ধান্ত, রসিদ মেলানো ও বাতিল, পেমেন্ট ও লিংক তৈরি, ফেরত লেখা, আবার পাঠানো।',
  },
  manager: {
    en: 'also changes wallets, phone, webhook and settings, and sees and changes secrets.',
    bn: 'আরও: ওয়ালেট, ফোন, ওয়েবহুক ও সেটিংস বদলান, সিক্রেট দেখেন ও বদলান।',
  },
  owner: { en: 'also has the members and archives the store.', bn: 'আরও: সদস্য ঠিক করেন, দোকান আর্কাইভ করেন।' },
};

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
        <div>${mayChange(visit) ? renderAdd(visit) : NOTHING} ${renderRoles(visit)}</div>
      </div>`,
    );
  }

  @PageAction('', { role: 'owner', refusedTo: 'show', findsTyped: true })
  async add(visit: Visit): Promise<PageAnswer> {
    const body = await visit.checked(AddMemberBody, {
      email: visit.field('email').trim(),
      role: visit.field('role'),
    });
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
          ${member.role === 'owner' ? html`<p class="hint">${visit.say(TEXT.stays)}</p>` : NOTHING}
        </section>
        ${visit.may('owner') && member.role !== 'owner' ? renderChanges(visit, member) : NOTHING}`,
      { heading: member.name === '' ? member.email : member.name },
    );
  }

  @PageAction('', { role: 'owner', refusedTo: 'show' })
  async change(visit: Visit): Promise<PageAnswer> {
    const { role } = await visit.checked(ChangeMemberBody, { role: visit.field('role') });
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
  const fields = html`${renderField(visit, {
    name: 'email',
    label: WORDS.email,
    type: 'email',
    hint: visit.say(TEXT.emailHint),
    required: true,
    maxlength: 254,
  })}
  ${renderRole(visit, 'viewer')}`;
  return html`<section class="card">
    <h2>${visit.say(TEXT.addTitle)}</h2>
    ${renderForm(visit, { action: visit.inStore('members'), submit: WORDS.add }, fields)}
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
      visit.store.archivedAt === null
        ? html`<section class="card narrow">
            ${renderForm(visit, { action: path, submit: WORDS.save }, renderRole(visit, member.role as MemberRole))}
          </section>`
        : NOTHING
    }
    <section class="card narrow">
      <p class="hint">${visit.say(TEXT.removeLead)}</p>
      ${renderForm(visit, { action: `${path}/remove`, submit: TEXT.remove, kind: 'danger' })}
    </section>`;
}

function renderRole(visit: Visit, value: MemberRole): Markup {
  return renderSelect(visit, {
    name: 'role',
    label: TEXT.role,
    value,
    choices: MEMBER_ROLES.map((role) => ({ value: role, text: visit.say(ROLE_WORDS[role]) })),
  });
}
