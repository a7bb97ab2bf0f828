import type { DomainError } from '../../kernel/domain-error.js';
import { Injectable, type Type } from '@nestjs/common';
import { DiscoveryService, ModuleRef } from '@nestjs/core';
import { BrandSettings } from '../../platform/web/brand.settings.js';
import { type Asset, assetPath, loadAssets, WEB_ICON, WEB_STYLESHEET } from '../../platform/web/assets.js';
import { renderNotice } from '../../platform/web/controls.js';
import { html, Markup, NOTHING } from '../../platform/web/html.js';
import { ICONS } from '../../platform/web/icons.js';
import { type Language, otherLanguage } from '../../platform/web/language.js';
import { renderDocument } from '../../platform/web/page-document.js';
import { TOKEN_FIELD } from './forms.js';
import { PAGE_METADATA, type PageAnswer, type PageDefinition } from './page-definition.js';
import type { Visit } from './visit.js';
import { DONE_WORDS, refusalText, WORDS } from './words.js';

/** Where the dashboard's files are served. */
export const ASSETS_BASE = '/dashboard/assets';

type Shown = Exclude<PageAnswer, 'sent' | { goTo: string }>;

const FAILURES = {
  missing: { en: 'There is nothing at this address', bn: 'এই ঠিকানায় কিছু নেই' },
  missingLead: {
    en: 'Perhaps it was mistyped, or it belongs to somebody else.',
    bn: 'ঠিকানাটি হয়তো ভুল, অথবা এটি অন্য কারও।',
  },
  refused: { en: 'This was not allowed', bn: 'এটি করা যায়নি' },
  foreign: {
    en: 'The form was too old, or came from another site. Nothing was changed: open the page again and try once more.',
    bn: 'ফর্মটি পুরোনো, অথবা অন্য সাইটের। কিছু বদলায়নি: পাতাটি আবার খুলে চেষ্টা করুন।',
  },
  away: { en: 'This page cannot be shown right now', bn: 'পাতাটি এখন দেখানো যাচ্ছে না' },
  awayLead: { en: 'Try again in a moment; nothing was lost.', bn: 'একটু পরে আবার চেষ্টা করুন; কিছু হারায়নি।' },
  home: { en: 'To the stores', bn: 'দোকানগুলোতে যান' },
};

/** The dashboard around every page: header, navigation, messages (contract 10.16). */
@Injectable()
export class DashboardLayout {
  private readonly assets = loadAssets({
    'dashboard.css': [WEB_STYLESHEET, new URL('../assets/dashboard.css', import.meta.url)],
    'dashboard.js': [new URL('../assets/dashboard.js', import.meta.url)],
    'icon.svg': [WEB_ICON],
  });
  private pages: readonly PageDefinition[] | null = null;

  constructor(
    private readonly brand: BrandSettings,
    private readonly discovery: DiscoveryService,
    private readonly modules: ModuleRef,
  ) {}

  findAsset(name: string): Asset | null {
    return this.assets.get(name) ?? null;
  }

  /** The page object behind a class, to call another of its methods. */
  instanceOf(page: Type): unknown {
    return this.modules.get<unknown>(page, { strict: false });
  }

  /** Every page there is, those of extensions too, in the order of the navigation. */
  listPages(): readonly PageDefinition[] {
    this.pages ??= this.discovery
      .getControllers()
      .flatMap(({ metatype }) => {
        const page: unknown = metatype === null ? undefined : Reflect.getMetadata(PAGE_METADATA, metatype);
        return page === undefined ? [] : [page as PageDefinition];
      })
      .sort((one, other) => (one.order ?? 0) - (other.order ?? 0));
    return this.pages;
  }

  render(visit: Visit, shown: Shown): string {
    const heading = shown.heading ?? visit.say(visit.page.name);
    const title = shown.title ?? (heading instanceof Markup ? visit.say(visit.page.name) : heading);
    const owner = visit.storeFound?.store.name ?? visit.say(WORDS.product);
    return this.document(visit.language, `${title} · ${owner}`, {
      body: html`${this.renderHeader(visit)} ${this.renderNavigation(visit)}
        <main id="main" tabindex="-1">
          ${renderMessages(visit)}
          <h1>${this.renderCrumb(visit)}${heading}</h1>
          ${shown.content}
        </main>`,
    });
  }

  /** The heading of a page that another page leads to has the way back there. */
  private renderCrumb(visit: Visit): Markup {
    const parent = this.parentOf(visit.page);
    if (parent === null) return NOTHING;
    const base = parent.scope === 'store' ? visit.inStore(parent.path) : `/dashboard/${parent.path}`;
    return html`<a class="crumb" href="${base}">${visit.say(parent.name)}</a> `;
  }

  /** The page of the navigation that this one lies under; null for one that is there itself. */
  private parentOf(page: PageDefinition): PageDefinition | null {
    if (page.order !== undefined) return null;
    const [first = ''] = page.path.split('/');
    return (
      this.listPages().find(
        ({ scope, path, order }) =>
          order !== undefined &&
          (scope === 'store') === (page.scope === 'store') &&
          path === first &&
          path !== page.path,
      ) ?? null
    );
  }

  renderFailure(visit: Visit | null, language: Language, failure: DomainError): string {
    const [heading, lead] =
      failure.status === 404
        ? [FAILURES.missing[language], FAILURES.missingLead[language]]
        : failure.status >= 500
          ? [FAILURES.away[language], FAILURES.awayLead[language]]
          : failure.code === 'auth.forbidden'
            ? [FAILURES.refused[language], FAILURES.foreign[language]]
            : [FAILURES.refused[language], refusalText(failure, language)];
    return this.document(language, heading, {
      body: html`${visit !== null && this.renderHeader(visit)}
        <main id="main" tabindex="-1">
          <section class="card empty" role="alert">
            ${ICONS.alert}
            <h1>${heading}</h1>
            <p>${lead}</p>
            <p><a class="quiet" href="/dashboard">${FAILURES.home[language]}</a></p>
          </section>
        </main>`,
    });
  }

  private document(language: Language, title: string, { body }: { body: Markup }): string {
    const path = (name: string) => assetPath(ASSETS_BASE, name, this.assets);
    return renderDocument({
      language,
      title,
      stylesheets: [path('dashboard.css')],
      script: path('dashboard.js'),
      icon: path('icon.svg'),
      body: html`<a class="skip" href="#main">${WORDS.skip[language]}</a>
        <p class="visually-hidden" id="live" role="status"></p>
        <div class="frame" data-copied="${WORDS.copied[language]}" data-news="${WORDS.news[language]}">
          ${body}
        </div>`,
    });
  }

  private renderHeader(visit: Visit): Markup {
    const { session } = visit;
    const other = otherLanguage(visit.language);
    const product = this.brand.brandName ?? visit.say(WORDS.product);
    return html`<header class="top">
      <a class="shop" href="${session === null ? '/dashboard/sign-in' : '/dashboard/stores'}">
        <span class="logo" aria-hidden="true">${[...product][0] ?? ''}</span>
        <strong>${visit.storeFound?.store.name ?? product}</strong>
      </a>
      <div class="tools">
        <a class="tool" href="${languagePath(visit, other)}" lang="${other}" hreflang="${other}"
          >${visit.say(WORDS.otherLanguage)}</a
        >
        ${session !== null && this.renderGeneral(visit)}
        ${
          session !== null &&
          html`<form method="post" action="/dashboard/sign-out">
            <input type="hidden" name="${TOKEN_FIELD}" value="${visit.formToken}" />
            <button type="submit" class="tool">${visit.say(WORDS.signOut)}</button>
          </form>`
        }
      </div>
    </header>`;
  }

  private renderGeneral(visit: Visit): Markup {
    const pages = this.listPages().filter(
      ({ scope, order }) =>
        order !== undefined &&
        (scope === 'user' || (scope === 'admin' && visit.session?.user.role === 'admin')),
    );
    return html`<nav class="general" aria-label="${visit.say(WORDS.general)}">
      ${pages.map((page) => this.renderLink(visit, page, `/dashboard/${page.path}`, 'tool'))}
    </nav>`;
  }

  private renderNavigation(visit: Visit): Markup {
    if (visit.storeFound === null) return NOTHING;
    const pages = this.listPages().filter(
      ({ scope, order, role }) => scope === 'store' && order !== undefined && visit.may(role ?? 'viewer'),
    );
    return html`<nav class="pages" aria-label="${visit.say(WORDS.navigation)}">
      <ul>
        ${pages.map((page) => html`<li>${this.renderLink(visit, page, visit.inStore(page.path), 'page-link')}</li>`)}
      </ul>
    </nav>`;
  }

  private renderLink(visit: Visit, page: PageDefinition, path: string, kind: string): Markup {
    const current = page === visit.page ? 'page' : page === this.parentOf(visit.page) ? 'true' : null;
    return html`<a class="${kind}" href="${path}" ${current !== null && html`aria-current="${current}"`}
      >${visit.say(page.name)}</a
    >`;
  }
}

/** This page in the other language; after a form that was refused, the page it stands on is near enough. */
function languagePath({ request, page }: Visit, language: Language): string {
  const [asked = '', query = ''] = request.url.split('?', 2);
  // An action's answer stands at the action's address, which nobody can ask for: the link is to the page it belongs to.
  const parts = (page.scope === 'store' ? 4 : 2) + (page.path === '' ? 0 : page.path.split('/').length);
  const path = request.method === 'GET' ? asked : asked.split('/').slice(0, parts).join('/');
  const parameters = new URLSearchParams(query);
  parameters.delete('done');
  parameters.set('lang', language);
  return `${path}?${parameters.toString()}`;
}

function renderMessages(visit: Visit): Markup {
  const done = visit.query('done');
  if (visit.refusal !== null) return renderNotice(visit.refusal.text);
  return Object.hasOwn(DONE_WORDS, done) && visit.request.method === 'GET'
    ? renderNotice(visit.say(DONE_WORDS[done] ?? WORDS.none), 'status')
    : NOTHING;
}
