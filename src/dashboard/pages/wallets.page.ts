import { DomainError } from '../../kernel/domain-error.js';
import { storeChangesOf, StoresService, UpdateStoreBody, type Wallet } from '../../stores/index.js';
import { ACCOUNT_TYPES, type AccountType } from '../../wallets/index.js';
import { html, type Markup, NOTHING } from '../../web/html.js';
import { renderQrSvg } from '../../web/qr-svg.js';
import { renderCheckbox, renderField, renderForm, renderSelect } from '../forms.js';
import { DashboardPage, PageAction, PageView } from '../page.js';
import type { InBothLanguages, PageAnswer } from '../page-definition.js';
import { renderBadge, renderCode, renderEmpty, walletName } from '../parts.js';
import type { Visit } from '../visit.js';
import { WORDS } from '../words.js';
import { walletChoices } from './payments.page.js';

const NAME = { en: 'Wallets', bn: 'ওয়ালেট' };
const TEXT = {
  one: { en: 'Wallet', bn: 'ওয়ালেট' },
  empty: {
    en: 'No wallet yet. Add the number your customers are to pay to.',
    bn: 'এখনো কোনো ওয়ালেট নেই। ক্রেতারা যে নম্বরে টাকা দেবেন তা যোগ করুন।',
  },
  addTitle: { en: 'Add a wallet', bn: 'ওয়ালেট যোগ করুন' },
  number: { en: 'Number', bn: 'নম্বর' },
  accountType: { en: 'Account type', bn: 'অ্যাকাউন্টের ধরন' },
  accountHint: {
    en: 'It decides what the customer must choose in the wallet: a wrong one brings another kind of message.',
    bn: 'ক্রেতা ওয়ালেটে কী বেছে নেবেন তা এতে ঠিক হয়: ভুল হলে অন্য ধরনের বার্তা আসে।',
  },
  qrText: { en: 'QR text', bn: 'QR লেখা' },
  qrHint: {
    en: 'What stands in your printed Bangla QR code; for Bangla QR only.',
    bn: 'আপনার ছাপা বাংলা QR কোডে যা আছে; শুধু বাংলা QR-এর জন্য।',
  },
  qrLabel: { en: 'QR code', bn: 'QR কোড' },
  enabled: { en: 'Offered to customers', bn: 'ক্রেতাদের দেখানো হয়' },
  off: { en: 'Off', bn: 'বন্ধ' },
  change: { en: 'Change', bn: 'বদলান' },
  up: { en: 'Move up', bn: 'উপরে' },
  remove: { en: 'Remove', bn: 'সরান' },
  removeSure: {
    en: 'The wallet is no longer offered. Payments that are open keep waiting for their receipts.',
    bn: 'ওয়ালেটটি আর দেখানো হবে না। খোলা পেমেন্টগুলো রসিদের অপেক্ষায় থাকবে।',
  },
};

export const ACCOUNT_TYPE_WORDS: Readonly<Record<AccountType, InBothLanguages>> = {
  personal: { en: 'Personal', bn: 'পার্সোনাল' },
  merchant: { en: 'Merchant', bn: 'মার্চেন্ট' },
  agent: { en: 'Agent', bn: 'এজেন্ট' },
};

/** What the checkout page offers, in its order (decisions §10). */
@DashboardPage({ scope: 'store', path: 'wallets', name: NAME, order: 70 })
export class WalletsPage {
  constructor(private readonly stores: StoresService) {}

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
        mayChange
          ? html`<section class="card">
              <h2>${visit.say(TEXT.addTitle)}</h2>
              ${renderForm(visit, { action: visit.inStore('wallets'), submit: WORDS.add }, renderWalletFields(visit, null))}
            </section>`
          : NOTHING
      }`,
    );
  }

  @PageAction('', { role: 'manager', refusedTo: 'show' })
  async add(visit: Visit): Promise<PageAnswer> {
    await saveWallets(
      visit,
      this.stores,
      [...visit.store.wallets, typedWallet(visit, true)],
      visit.store.wallets.length,
    );
    return visit.goTo(visit.inStore('wallets'), 'added');
  }

  @PageAction(':index/up', { role: 'manager', refusedTo: 'show' })
  async moveUp(visit: Visit): Promise<PageAnswer> {
    const index = indexOf(visit);
    const wallets = [...visit.store.wallets];
    const [moved] = wallets.splice(index, 1);
    if (moved !== undefined) wallets.splice(Math.max(0, index - 1), 0, moved);
    await saveWallets(visit, this.stores, wallets, index);
    return visit.goTo(visit.inStore('wallets'), 'saved');
  }
}

/** One wallet of the store. */
@DashboardPage({ scope: 'store', path: 'wallets/:index', name: TEXT.one, role: 'manager' })
export class WalletPage {
  constructor(private readonly stores: StoresService) {}

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
    return visit.shown(
      html`<section class="card narrow">
          ${renderForm(visit, { action: path, submit: WORDS.save }, html`${renderWalletFields(visit, wallet)} ${enabled}`)}
        </section>
        <section class="card narrow">
          ${renderForm(visit, { action: `${path}/remove`, submit: TEXT.remove, kind: 'danger' })}
        </section>`,
      { heading: walletName(visit, wallet?.provider ?? null) ?? visit.say(TEXT.one) },
    );
  }

  @PageAction('', { role: 'manager', refusedTo: 'show' })
  async save(visit: Visit): Promise<PageAnswer> {
    const index = indexOf(visit);
    const wallets = visit.store.wallets.map((wallet, at) =>
      at === index ? typedWallet(visit, visit.field('enabled') !== '') : wallet,
    );
    await saveWallets(visit, this.stores, wallets, index);
    return visit.goTo(visit.inStore('wallets'), 'saved');
  }

  @PageAction('remove', { role: 'manager', refusedTo: 'show', confirm: TEXT.removeSure })
  async remove(visit: Visit): Promise<PageAnswer> {
    const index = indexOf(visit);
    await saveWallets(
      visit,
      this.stores,
      visit.store.wallets.filter((_wallet, at) => at !== index),
      index,
    );
    return visit.goTo(visit.inStore('wallets'), 'removed');
  }
}

function indexOf(visit: Visit): number {
  const text = visit.parameter('index');
  const index = /^\d{1,2}$/.test(text) ? Number(text) : -1;
  if (visit.store.wallets[index] === undefined)
    throw new DomainError('not_found', 'request.not_found', 'There is no such wallet.');
  return index;
}

function typedWallet(visit: Visit, enabled: boolean): object {
  return {
    provider: visit.field('provider'),
    number: visit.text('number'),
    accountType: visit.field('accountType') || 'personal',
    qrPayload: visit.field('qrPayload') === '' ? null : visit.field('qrPayload'),
    enabled,
  };
}

/** Wallets are one list of the store; what is wrong with the one that was typed is said at its fields. */
async function saveWallets(
  visit: Visit,
  stores: StoresService,
  wallets: readonly object[],
  typed: number,
): Promise<void> {
  const plain = wallets.map((wallet) => ({ ...wallet }));
  let body: UpdateStoreBody;
  try {
    body = await visit.checked(UpdateStoreBody, { wallets: plain });
  } catch (error) {
    throw error instanceof DomainError ? atFields(error, `/wallets/${typed}/`) : error;
  }
  await stores.update(visit.caller, visit.store.id, storeChangesOf(body));
}

function atFields(error: DomainError, prefix: string): DomainError {
  const errors = error.errors?.map(({ pointer, detail }) => ({
    pointer: pointer.startsWith(prefix) ? `/${pointer.slice(prefix.length)}` : pointer,
    detail,
  }));
  return new DomainError(error.kind, error.code, error.message, errors === undefined ? {} : { errors });
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
    <h2>${name} ${wallet.enabled ? NOTHING : renderBadge(visit.say(TEXT.off), 'over')}</h2>
    <p>
      ${renderCode(wallet.number)}
      <span class="hint">${visit.say(ACCOUNT_TYPE_WORDS[wallet.accountType])}</span>
    </p>
    ${
      wallet.qrPayload === null
        ? NOTHING
        : html`<figure class="qr qr-small">
            ${renderQrSvg(wallet.qrPayload, `${visit.say(TEXT.qrLabel)}: ${name}`)}
          </figure>`
    }
    ${
      mayChange
        ? html`<div class="actions">
            <a class="quiet" href="${path}" aria-label="${visit.say(TEXT.change)}: ${name}"
              >${visit.say(TEXT.change)}</a
            >
            ${
              index === 0
                ? NOTHING
                : renderForm(visit, {
                    action: `${path}/up`,
                    submit: TEXT.up,
                    kind: 'quiet',
                    label: `${visit.say(TEXT.up)}: ${name}`,
                  })
            }
          </div>`
        : NOTHING
    }
  </li>`;
}
