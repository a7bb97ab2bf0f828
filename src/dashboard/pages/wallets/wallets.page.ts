import { createHash } from 'node:crypto';
import { DomainError, requestInvalid } from '../../../kernel/domain-error.js';
import {
  storeChangesOf,
  StoresService,
  UpdateStoreBody,
  type Wallet,
  WalletsChanged,
} from '../../../stores/index.js';
import { ACCOUNT_TYPES, QR_PROVIDER } from '../../../wallets/index.js';
import { html, type Markup, NOTHING } from '../../../platform/web/html.js';
import { renderQrSvg } from '../../../platform/web/qr-svg.js';
import { renderCheckbox, renderField, renderFile, renderForm, renderSelect } from '../../kit/forms.js';
import { DashboardPage, PageAction, PageView } from '../../kit/page.js';
import type { PageAnswer } from '../../kit/page-definition.js';
import { renderBadge, renderCode, renderEmpty, renderFacts, walletName } from '../../kit/parts.js';
import { MAX_PICTURE_BYTES, type QrPictureReading, QrPictures } from './qr-pictures.js';
import type { Visit } from '../../kit/visit.js';
import { WORDS } from '../../kit/words.js';
import { walletChoices } from '../payments/payments.page.js';
import { notFound } from '../../../platform/http/index.js';
import { ACCOUNT_TYPE_WORDS, NAME, PICTURE_PROBLEMS, TEXT } from './words.js';

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

type ReadCode = Extract<QrPictureReading, { outcome: 'payment' }>;

/** @throws DomainError `request.invalid` at the field, in the reader's words */
async function readPicture(visit: Visit, pictures: QrPictures): Promise<ReadCode> {
  const bytes = visit.file === null ? Buffer.alloc(0) : await pictures.receive(visit.file);
  const reading =
    bytes === null ? ({ outcome: 'too_large' } as const) : await pictures.read(visit.store.id, bytes);
  if (reading.outcome === 'payment') return reading;
  throw requestInvalid.saying('The picture was not taken.', {
    errors: [{ pointer: '/picture', detail: visit.say(PICTURE_PROBLEMS[reading.outcome]) }],
  });
}

function renderPictureForm(visit: Visit, action: string): Markup {
  const field = renderFile(visit, {
    name: 'picture',
    label: TEXT.picture,
    hint: visit.say(TEXT.pictureHint),
    accept: 'image/png,image/jpeg',
  });
  return html`<section class="card narrow">
    <h2>${visit.say(TEXT.fromPicture)}</h2>
    ${renderForm(visit, { action, submit: TEXT.read, kind: 'quiet', withFile: true }, field)}
  </section>`;
}

/** The content that was read, shown before any of it is saved. */
function renderRead(visit: Visit, { text, qr }: ReadCode, form: Markup): Markup {
  return html`<section class="card narrow">
    <p class="callout notice notice-done" role="status">${visit.say(TEXT.found)}</p>
    <figure class="qr qr-small">${renderQrSvg(text, visit.say(TEXT.qrLabel))}</figure>
    ${renderFacts([
      [visit.say(TEXT.shopName), qr.merchantName],
      [visit.say(TEXT.city), qr.merchantCity],
      [visit.say(TEXT.fixedAmount), qr.amount],
    ])}
    ${form}
  </section>`;
}

/** The wallet that the form was drawn for. @throws DomainError `request.not_found` when it is not there (any more) */
function indexOf(visit: Visit, wallets: readonly Wallet[] = visit.store.wallets): number {
  const text = visit.parameter('index');
  const index = /^\d{1,2}$/.test(text) ? Number(text) : -1;
  const wallet = wallets[index];
  const was = visit.field('was');
  if (wallet === undefined || (was !== '' && was !== markOf(wallet)))
    throw notFound.saying('There is no such wallet.');
  return index;
}

/** A mark of the wallet at a place of the list: another user may have changed the list since the form was drawn. */
function markOf(wallet: Wallet): string {
  return createHash('sha256').update(JSON.stringify(wallet)).digest('base64url').slice(0, 16);
}

const marked = (wallet: Wallet | null | undefined) =>
  wallet == null ? {} : { hidden: { was: markOf(wallet) } };

function typedWallet(visit: Visit, enabled: boolean): object {
  return {
    provider: visit.field('provider'),
    number: visit.text('number'),
    accountType: visit.field('accountType') || 'personal',
    qrPayload: visit.field('qrPayload') === '' ? null : visit.field('qrPayload'),
    enabled,
  };
}

interface ChangedWallets {
  readonly wallets: readonly object[];
  /** Where the one is that was typed. */
  readonly typed: number;
}

const MAX_CHANGES = 5;

/**
 * Wallets are one list of the store: what was changed of it meanwhile is changed with it. What is wrong with the one
 * that was typed is said at its fields.
 */
async function changeWallets(
  visit: Visit,
  stores: StoresService,
  change: (wallets: readonly Wallet[]) => ChangedWallets,
): Promise<void> {
  let before = visit.store.wallets;
  for (let count = 1; ; count += 1) {
    const { wallets, typed } = change(before);
    const plain = wallets.map((wallet) => ({ ...wallet }));
    let body: UpdateStoreBody;
    try {
      body = await visit.checked(UpdateStoreBody, { wallets: plain });
    } catch (error) {
      throw error instanceof DomainError ? atFields(error, `/wallets/${typed}/`) : error;
    }
    try {
      await stores.update(visit.caller, visit.store.id, storeChangesOf(body), { whileWallets: before });
      return;
    } catch (error) {
      if (!(error instanceof WalletsChanged) || count === MAX_CHANGES) throw error;
      before = (await stores.get(visit.store.id)).wallets;
    }
  }
}

function atFields(error: DomainError, prefix: string): DomainError {
  const errors = error.errors?.map(({ pointer, detail }) => ({
    pointer: pointer.startsWith(prefix) ? `/${pointer.slice(prefix.length)}` : pointer,
    detail,
  }));
  return new DomainError(error, error.message, errors === undefined ? {} : { errors });
}

function renderWalletFields(visit: Visit, wallet: Wallet | null): Markup {
  return html`${renderSelect(visit, {
    name: 'provider',
    label: WORDS.wallet,
    choices: walletChoices(visit),
    value: wallet?.provider ?? 'bkash',
  })}
  ${renderField(visit, { name: 'number', label: TEXT.number, value: wallet?.number ?? '', inputmode: 'tel', maxlength: 32 })}
  ${renderSelect(visit, {
    name: 'accountType',
    label: TEXT.accountType,
    hint: visit.say(TEXT.accountHint),
    choices: ACCOUNT_TYPES.map((type) => ({ value: type, text: visit.say(ACCOUNT_TYPE_WORDS[type]) })),
    value: wallet?.accountType ?? 'personal',
  })}
  ${renderField(visit, {
    name: 'qrPayload',
    label: TEXT.qrText,
    hint: visit.say(TEXT.qrHint),
    value: wallet?.qrPayload ?? '',
    code: true,
    maxlength: 512,
  })}`;
}

function renderWallet(visit: Visit, wallet: Wallet, index: number, mayChange: boolean): Markup {
  const name = walletName(visit, wallet.provider) ?? wallet.provider;
  const path = visit.inStore(`wallets/${index}`);
  return html`<li class="card">
    <h2>${name} ${!wallet.enabled && renderBadge(visit.say(TEXT.off), 'over')}</h2>
    <p>
      ${renderCode(wallet.number)}
      <span class="hint">${visit.say(ACCOUNT_TYPE_WORDS[wallet.accountType])}</span>
    </p>
    ${
      wallet.qrPayload !== null &&
      html`<figure class="qr qr-small">
        ${renderQrSvg(wallet.qrPayload, `${visit.say(TEXT.qrLabel)}: ${name}`)}
      </figure>`
    }
    ${
      mayChange &&
      html`<div class="actions">
        <a class="quiet" href="${path}" aria-label="${visit.say(TEXT.change)}: ${name}"
          >${visit.say(TEXT.change)}</a
        >
        ${
          index !== 0 &&
          renderForm(visit, {
            action: `${path}/up`,
            submit: TEXT.up,
            kind: 'quiet',
            label: `${visit.say(TEXT.up)}: ${name}`,
            ...marked(wallet),
          })
        }
      </div>`
    }
  </li>`;
}
