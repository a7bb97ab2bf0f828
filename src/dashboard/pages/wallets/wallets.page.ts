import { StoresService } from '../../../stores/index.js';
import { QR_PROVIDER } from '../../../wallets/index.js';
import { html, NOTHING } from '../../../platform/web/html.js';
import { renderCheckbox, renderForm } from '../../kit/forms.js';
import { DashboardPage, PageAction, PageView } from '../../kit/page.js';
import type { PageAnswer } from '../../kit/page-definition.js';
import { renderEmpty, walletName } from '../../kit/parts.js';
import { MAX_PICTURE_BYTES, QrPictures } from './qr-pictures.js';
import type { Visit } from '../../kit/visit.js';
import { WORDS } from '../../kit/words.js';
import { NAME, TEXT } from './words.js';
import { readPicture, renderPictureForm, renderRead, renderWallet, renderWalletFields } from './sections.js';
import { changeWallets, indexOf, marked, typedWallet } from './changes.js';

/** The fields of a form beside the picture. */
const MAX_UPLOAD_BYTES = MAX_PICTURE_BYTES + 64 * 1024;

/** The wallets that the checkout page offers, in its order (contract 10.16). */
@DashboardPage({ scope: 'store', path: 'wallets', name: NAME, order: 70 })
export class WalletsPage {
  constructor(
    private readonly stores: StoresService,
    private readonly pictures: QrPictures,
  ) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    const { wallets } = visit.store;
    const mayChange = visit.may('manager') && visit.store.archivedAt === null;
    return visit.shown(
      html`${
        wallets.length === 0
          ? renderEmpty(visit.say(TEXT.empty))
          : html`<ol class="cards">
              ${wallets.map((wallet, index) => renderWallet(visit, wallet, index, mayChange))}
            </ol>`
      }
      ${
        mayChange &&
        html`<section class="card">
            <h2>${visit.say(TEXT.addTitle)}</h2>
            ${renderForm(visit, { action: visit.inStore('wallets'), submit: WORDS.add }, renderWalletFields(visit, null))}
          </section>
          ${renderPictureForm(visit, visit.inStore('wallets/picture'))}`
      }`,
    );
  }

  @PageAction('', { role: 'manager', refusedTo: 'show' })
  async add(visit: Visit): Promise<PageAnswer> {
    await changeWallets(visit, this.stores, (wallets) => ({
      wallets: [...wallets, typedWallet(visit, true)],
      typed: wallets.length,
    }));
    return visit.goTo(visit.inStore('wallets'), 'added');
  }

  @PageAction('picture', { role: 'manager', refusedTo: 'show', upload: { maxBytes: MAX_UPLOAD_BYTES } })
  async readPicture(visit: Visit): Promise<PageAnswer> {
    const read = await readPicture(visit, this.pictures);
    const wallet = { provider: QR_PROVIDER, number: null, accountType: 'merchant', enabled: true } as const;
    const fields = renderWalletFields(visit, { ...wallet, qrPayload: read.text });
    const form = renderForm(visit, { action: visit.inStore('wallets'), submit: WORDS.add }, fields);
    return visit.shown(renderRead(visit, read, form));
  }

  @PageAction(':index/up', { role: 'manager', refusedTo: 'show' })
  async moveUp(visit: Visit): Promise<PageAnswer> {
    await changeWallets(visit, this.stores, (before) => {
      const index = indexOf(visit, before);
      const wallets = [...before];
      const [moved] = wallets.splice(index, 1);
      if (moved !== undefined) wallets.splice(Math.max(0, index - 1), 0, moved);
      return { wallets, typed: index };
    });
    return visit.goTo(visit.inStore('wallets'), 'saved');
  }
}

/** One wallet of the store. */
@DashboardPage({ scope: 'store', path: 'wallets/:index', name: TEXT.one, role: 'manager' })
export class WalletPage {
  constructor(
    private readonly stores: StoresService,
    private readonly pictures: QrPictures,
  ) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    const index = indexOf(visit);
    const wallet = visit.store.wallets[index] ?? null;
    const path = visit.inStore(`wallets/${index}`);
    const enabled = renderCheckbox(visit, {
      name: 'enabled',
      label: TEXT.enabled,
      checked: wallet?.enabled ?? true,
    });
    const picture = wallet?.provider === 'qr' ? renderPictureForm(visit, `${path}/picture`) : NOTHING;
    return visit.shown(
      html`<section class="card narrow">
          ${renderForm(visit, { action: path, submit: WORDS.save, ...marked(wallet) }, html`${renderWalletFields(visit, wallet)} ${enabled}`)}
        </section>
        ${picture}
        <section class="card narrow">
          ${renderForm(visit, { action: `${path}/remove`, submit: TEXT.remove, kind: 'danger', ...marked(wallet) })}
        </section>`,
      { heading: walletName(visit, wallet?.provider ?? null) ?? visit.say(TEXT.one) },
    );
  }

  @PageAction('', { role: 'manager', refusedTo: 'show' })
  async save(visit: Visit): Promise<PageAnswer> {
    const typed = typedWallet(visit, visit.field('enabled') !== '');
    await changeWallets(visit, this.stores, (before) => {
      const index = indexOf(visit, before);
      return { wallets: before.map((wallet, at) => (at === index ? typed : wallet)), typed: index };
    });
    return visit.goTo(visit.inStore('wallets'), 'saved');
  }

  @PageAction('picture', { role: 'manager', refusedTo: 'show', upload: { maxBytes: MAX_UPLOAD_BYTES } })
  async readPicture(visit: Visit): Promise<PageAnswer> {
    const index = indexOf(visit);
    const read = await readPicture(visit, this.pictures);
    const wallet = visit.store.wallets[index];
    const shown = wallet === undefined ? null : { ...wallet, qrPayload: read.text };
    const enabled = { name: 'enabled', label: TEXT.enabled, checked: wallet?.enabled ?? true };
    const fields = html`${renderWalletFields(visit, shown)} ${renderCheckbox(visit, enabled)}`;
    const path = visit.inStore(`wallets/${index}`);
    const form = renderForm(visit, { action: path, submit: WORDS.save, ...marked(wallet) }, fields);
    return visit.shown(renderRead(visit, read, form));
  }

  @PageAction('remove', { role: 'manager', refusedTo: 'show', confirm: TEXT.removeSure })
  async remove(visit: Visit): Promise<PageAnswer> {
    await changeWallets(visit, this.stores, (before) => {
      const index = indexOf(visit, before);
      return { wallets: before.filter((_wallet, at) => at !== index), typed: index };
    });
    return visit.goTo(visit.inStore('wallets'), 'removed');
  }
}
