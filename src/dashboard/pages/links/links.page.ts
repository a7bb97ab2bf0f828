import { ServiceSettings } from '../../../platform/config/index.js';
import {
  type CountedLink,
  CreatePaymentLinkBody,
  linkChangesOf,
  LinkPages,
  linkUrlOf,
  newLinkOf,
  PaymentLinksService,
  POSTER_SIZES,
  UpdatePaymentLinkBody,
} from '../../../payment-links/index.js';
import { renderCopyBox, renderCopyButton } from '../../../platform/web/controls.js';
import { html, type Markup } from '../../../platform/web/html.js';
import { renderQrSvg } from '../../../platform/web/qr-svg.js';
import { sendPage } from '../../../platform/web/send-page.js';
import { renderForm } from '../../kit/forms.js';
import { DashboardPage, PageAction, PageView } from '../../kit/page.js';
import type { PageAnswer } from '../../kit/page-definition.js';
import {
  renderBadge,
  renderEmpty,
  renderFacts,
  renderMoney,
  renderPager,
  renderRows,
} from '../../kit/parts.js';
import type { Visit } from '../../kit/visit.js';
import { WORDS } from '../../kit/words.js';
import { NAME, TEXT } from './words.js';
import { amount, checkbox, Form, text } from '../../kit/form.js';

/** Links that many customers pay (contract 10.16 and 11.1). */
@DashboardPage({ scope: 'store', path: 'links', name: NAME, order: 50 })
export class LinksPage {
  constructor(private readonly links: PaymentLinksService) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    const page = await this.links.listOfStore(visit.store.id, await visit.pageQuery());
    return visit.shown(
      html`<p class="buttons">
          ${
            visit.may('reviewer') &&
            html`<a class="primary" href="${visit.inStore('links/new')}">${visit.say(TEXT.newLink)}</a>`
          }
        </p>
        ${
          page.data.length === 0
            ? renderEmpty(visit.say(TEXT.empty))
            : renderRows(page.data.map((link) => rowOf(visit, link)))
        }
        ${renderPager(visit, page)}`,
    );
  }
}

function rowOf(visit: Visit, link: CountedLink) {
  const { currency } = visit.store;
  return {
    href: visit.inStore(`links/${link.id}`),
    main: link.title,
    aside: link.active ? renderBadge(visit.say(TEXT.on), 'good') : renderBadge(visit.say(TEXT.off), 'over'),
    below: html`<span
        >${link.amountMinor === null ? visit.say(TEXT.anyAmount) : renderMoney(visit, link.amountMinor, currency)}</span
      >
      <span
        >${visit.say(TEXT.paid)}: ${visit.count(link.verifiedCount)} ${visit.say(TEXT.times)},
        ${renderMoney(visit, link.verifiedAmountMinor, currency)}</span
      >`,
    also: { href: visit.inStore(`payments?paymentLinkId=${link.id}`), text: visit.say(TEXT.payments) },
  };
}

const NEW_LINK = new Form(CreatePaymentLinkBody, {
  title: text({ label: TEXT.title, hint: TEXT.titleHint }),
  amount: amount({ label: WORDS.amount, hint: TEXT.amountHint }),
  note: text({ label: WORDS.note }),
  askName: checkbox({ label: TEXT.askName }),
  askPhone: checkbox({ label: TEXT.askPhone }),
});

@DashboardPage({ scope: 'store', path: 'links/new', name: TEXT.newLink, role: 'reviewer' })
export class NewLinkPage {
  constructor(private readonly links: PaymentLinksService) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    const form = NEW_LINK.render(visit, { action: visit.inStore('links/new'), submit: TEXT.newLink });
    return visit.shown(html`<section class="card narrow">${form}</section>`);
  }

  @PageAction('', { role: 'reviewer', refusedTo: 'show' })
  async create(visit: Visit): Promise<PageAnswer> {
    const body = await NEW_LINK.read(visit);
    const link = await this.links.create(visit.caller, visit.store, newLinkOf(body, ''));
    return visit.goTo(visit.inStore(`links/${link.id}`), 'created');
  }
}

@DashboardPage({ scope: 'store', path: 'links/:linkId', name: TEXT.one })
export class LinkPage {
  constructor(
    private readonly links: PaymentLinksService,
    private readonly pages: LinkPages,
    private readonly settings: ServiceSettings,
  ) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    const link = await this.links.getOfStore(visit.store.id, visit.idOf('linkId'));
    const url = linkUrlOf(link.slug, this.settings.publicUrl);
    const { currency } = visit.store;
    const toggle = renderForm(visit, {
      action: visit.inStore(`links/${link.id}/${link.active ? 'off' : 'on'}`),
      submit: link.active ? TEXT.switchOff : TEXT.switchOn,
      kind: 'quiet',
    });
    return visit.shown(
      html`<section class="card">
          <p class="state-line">
            ${renderBadge(visit.say(link.active ? TEXT.on : TEXT.off), link.active ? 'good' : 'over')}
          </p>
          ${renderCopyBox(url, html`<span class="code small" translate="no">${url}</span>`, {
            copy: visit.say(WORDS.copy),
            label: `${visit.say(WORDS.copy)}: ${visit.say(TEXT.url)}`,
          })}
          <figure class="qr">
            <figcaption>${visit.say(TEXT.qr)}</figcaption>
            ${renderQrSvg(url, `${visit.say(TEXT.qr)}: ${link.title}`)}
          </figure>
          ${renderFacts([
            [
              visit.say(WORDS.amount),
              link.amountMinor === null
                ? visit.say(TEXT.anyAmount)
                : renderMoney(visit, link.amountMinor, currency),
            ],
            [visit.say(WORDS.note), link.note],
            [visit.say(TEXT.paid), `${visit.count(link.verifiedCount)} ${visit.say(TEXT.times)}`],
            [visit.say(TEXT.paid), renderMoney(visit, link.verifiedAmountMinor, currency)],
          ])}
          <div class="buttons">
            <a class="quiet" href="${visit.inStore(`payments?paymentLinkId=${link.id}`)}"
              >${visit.say(TEXT.payments)}</a
            >
            ${visit.may('reviewer') && toggle}
          </div>
        </section>
        ${this.renderSending(visit, link, url)}`,
      { heading: link.title },
    );
  }

  /** The link in the words of a shop, and on paper. */
  private renderSending(visit: Visit, link: CountedLink, url: string): Markup {
    const path = visit.inStore(`links/${link.id}`);
    const text = this.pages.shareTextOf(link, visit.store, visit.language);
    return html`<section class="card">
      <h2>${visit.say(TEXT.send)}</h2>
      <p class="share-text">${text}</p>
      <p class="buttons">
        ${renderCopyButton(text, {
          copy: visit.say(WORDS.copy),
          label: `${visit.say(WORDS.copy)}: ${visit.say(TEXT.shareText)}`,
        })}
        <button type="button" class="quiet" data-share="${text}" hidden>${visit.say(TEXT.send)}</button>
        <a class="quiet" href="${url}" target="_blank" rel="noopener">${visit.say(TEXT.open)}</a>
      </p>
      <h3>${visit.say(TEXT.print)}</h3>
      <p class="buttons">
        ${POSTER_SIZES.map(
          (size) =>
            html`<a class="quiet" href="${path}/poster?size=${size}" target="_blank" rel="noopener"
              >${visit.say(TEXT.poster)} ${size.toUpperCase()}</a
            >`,
        )}
        <a class="quiet" href="${path}/qr.svg" download>${visit.say(TEXT.qrFile)}</a>
      </p>
    </section>`;
  }

  /** A sheet with the shop's name and the code, as a page of its own. */
  @PageView('poster')
  async poster(visit: Visit): Promise<PageAnswer> {
    const link = await this.links.getOfStore(visit.store.id, visit.idOf('linkId'));
    const asked = visit.query('size').toLowerCase();
    const size = POSTER_SIZES.find((one) => one === asked) ?? POSTER_SIZES[0];
    const page = this.pages.posterOf(link, visit.store, size, visit.language);
    await sendPage(visit.request, visit.reply, 200, page);
    return 'sent';
  }

  @PageView('qr.svg')
  async qrFile(visit: Visit): Promise<PageAnswer> {
    const link = await this.links.getOfStore(visit.store.id, visit.idOf('linkId'));
    void visit.reply
      .status(200)
      .type('image/svg+xml; charset=utf-8')
      .header('Content-Disposition', `attachment; filename="${link.slug}.svg"`)
      .header('Content-Security-Policy', "default-src 'none'")
      .header('Cache-Control', 'no-store')
      .send(this.pages.qrOf(link));
    return 'sent';
  }

  @PageAction('off', { role: 'reviewer', refusedTo: 'show' })
  async switchOff(visit: Visit): Promise<PageAnswer> {
    return this.setActive(visit, false);
  }

  @PageAction('on', { role: 'reviewer', refusedTo: 'show' })
  async switchOn(visit: Visit): Promise<PageAnswer> {
    return this.setActive(visit, true);
  }

  private async setActive(visit: Visit, active: boolean): Promise<PageAnswer> {
    const id = visit.idOf('linkId');
    const body = await visit.checked(UpdatePaymentLinkBody, { active });
    await this.links.update(visit.caller, visit.store, id, linkChangesOf(body));
    return visit.goTo(visit.inStore(`links/${id}`), 'saved');
  }
}
