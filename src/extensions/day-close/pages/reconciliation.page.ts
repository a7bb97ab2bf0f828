import {
  DashboardPage,
  PageAction,
  type PageAnswer,
  PageView,
  renderCode,
  renderField,
  renderFile,
  renderForm,
  renderMoney,
  renderSelect,
  type Visit,
  walletName,
  WORDS,
} from '../../../dashboard/index.js';
import { requestInvalid } from '../../../platform/http/index.js';
import type { MinorUnits } from '../../../kernel/money.js';
import { WALLETS } from '../../../wallets/index.js';
import { html, type Markup, NOTHING } from '../../../platform/web/html.js';
import { ReconciliationQuery } from '../day-close.dto.js';
import { type Reconciliation, ReconciliationService } from '../reconciliation.service.js';
import { MAX_STATEMENT_BYTES } from '../reconciliations.controller.js';

const NAME = { en: 'Reconciliation', bn: 'হিসাব মেলানো' };
const TEXT = {
  lead: {
    en: 'Give the statement that the wallet’s app or portal exports (CSV): every line is compared with the receipts that reached us.',
    bn: 'ওয়ালেটের অ্যাপ বা পোর্টাল থেকে নেওয়া বিবরণী (CSV) দিন: প্রতিটি লাইন আমাদের কাছে আসা রসিদের সঙ্গে মেলানো হবে।',
  },
  file: { en: 'Statement', bn: 'বিবরণী' },
  fileHint: { en: 'CSV, at most 10 MiB. Nothing is kept.', bn: 'CSV, সর্বোচ্চ ১০ MiB। কিছু রাখা হয় না।' },
  columns: { en: 'Names of the columns, where they are unusual', bn: 'কলামের নাম আলাদা হলে' },
  dateColumn: { en: 'Column of the date', bn: 'তারিখের কলাম' },
  trxIdColumn: { en: 'Column of the TrxID', bn: 'TrxID-এর কলাম' },
  amountColumn: { en: 'Column of the amount', bn: 'পরিমাণের কলাম' },
  reconcile: { en: 'Reconcile', bn: 'মেলান' },
  days: { en: 'Days', bn: 'তারিখ' },
  ours: { en: 'Ours', bn: 'আমাদের' },
  theirs: { en: 'Statement', bn: 'বিবরণী' },
  repeated: { en: 'repeated', bn: 'দ্বিতীয়বার' },
  none: { en: 'none', bn: 'নেই' },
  cut: { en: 'Only the first are shown; the API gives all.', bn: 'শুধু প্রথমগুলো দেখানো হলো; API সব দেয়।' },
};
const VERDICT_WORDS = {
  matched: { en: 'Matched', bn: 'মিলেছে' },
  missing: { en: 'Missing in the statement', bn: 'বিবরণীতে নেই' },
  over: { en: 'More in the statement', bn: 'বিবরণীতে বেশি' },
  under: { en: 'Less in the statement', bn: 'বিবরণীতে কম' },
  unknown: { en: 'Unknown to us', bn: 'আমাদের অজানা' },
};

/** Lines of each verdict that the page shows. */
const MAX_SHOWN = 200;

interface ShownLine {
  readonly trxId: string;
  readonly theirs: MinorUnits | null;
  readonly ours: MinorUnits | null;
  readonly paymentId: string | null;
  readonly repeated?: boolean;
}

type Verdict = keyof typeof VERDICT_WORDS;
type Verdicts = Readonly<Record<Verdict, { readonly count: number; readonly lines: readonly ShownLine[] }>>;

/** A wallet's statement beside ours. */
@DashboardPage({ scope: 'store', path: 'reconciliation', name: NAME, order: 47, role: 'reviewer' })
export class ReconciliationPage {
  constructor(private readonly reconciliation: ReconciliationService) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    return Promise.resolve(visit.shown(renderUpload(visit)));
  }

  @PageAction('', { role: 'reviewer', refusedTo: 'show', upload: { maxBytes: MAX_STATEMENT_BYTES } })
  async reconcile(visit: Visit): Promise<PageAnswer> {
    const { file } = visit;
    if (file === null) throw requestInvalid.saying('The form holds no file.');
    const column = (name: string) => {
      const value = visit.text(name);
      return value === null ? {} : { [name]: value };
    };
    const query = await visit.checked(ReconciliationQuery, {
      provider: visit.field('provider'),
      ...column('dateColumn'),
      ...column('trxIdColumn'),
      ...column('amountColumn'),
    });
    const { dateColumn: date, trxIdColumn: trxId, amountColumn: amount } = query;
    const found = await this.reconciliation.reconcile(visit.store, file, {
      provider: query.provider,
      columns: {
        ...(date === undefined ? {} : { date }),
        ...(trxId === undefined ? {} : { trxId }),
        ...(amount === undefined ? {} : { amount }),
      },
      first: null,
      last: null,
    });
    return visit.shown(html`${renderFound(visit, found, await shownOf(found))} ${renderUpload(visit)}`);
  }
}

async function shownOf(found: Reconciliation): Promise<Verdicts> {
  const known = (of: 'matched' | 'over' | 'under') => ({
    count: found[of].count,
    lines: found[of].items.slice(0, MAX_SHOWN).map(({ trxId, amountMinor, receipt }) => ({
      trxId,
      theirs: amountMinor,
      ours: receipt.amountMinor,
      paymentId: receipt.paymentId,
    })),
  });
  const missing: ShownLine[] = [];
  let count = 0;
  for await (const { trxId, amountMinor, paymentId } of found.missing()) {
    count += 1;
    if (count <= MAX_SHOWN) missing.push({ trxId, theirs: null, ours: amountMinor, paymentId });
  }
  const unknown = found.unknown.items.slice(0, MAX_SHOWN).map(({ trxId, amountMinor, repeated }) => ({
    trxId,
    theirs: amountMinor,
    ours: null,
    paymentId: null,
    repeated,
  }));
  return {
    missing: { count, lines: missing },
    unknown: { count: found.unknown.count, lines: unknown },
    over: known('over'),
    under: known('under'),
    matched: known('matched'),
  };
}

function renderFound(visit: Visit, { days }: Reconciliation, verdicts: Verdicts): Markup {
  return html`<section class="card" role="status">
      <p>${visit.say(TEXT.days)}: <span class="code">${days.first} – ${days.last}</span></p>
      <ul>
        ${verdictsOf(verdicts).map(([verdict, { count }]) => html`<li>${visit.say(VERDICT_WORDS[verdict])}: <strong>${visit.count(count)}</strong></li>`)}
      </ul>
    </section>
    ${verdictsOf(verdicts).map(([verdict, { count, lines }]) => renderVerdict(visit, verdict, count, lines))}`;
}

function verdictsOf(verdicts: Verdicts): [Verdict, Verdicts[Verdict]][] {
  return Object.entries(verdicts) as [Verdict, Verdicts[Verdict]][];
}

function renderVerdict(visit: Visit, verdict: Verdict, count: number, lines: readonly ShownLine[]): Markup {
  if (lines.length === 0) return NOTHING;
  const { currency } = visit.store;
  const money = (amount: MinorUnits | null) => (amount === null ? '–' : renderMoney(visit, amount, currency));
  return html`<section class="card">
    <h2>${visit.say(VERDICT_WORDS[verdict])}: ${visit.count(count)}</h2>
    <div class="table-wrap" tabindex="0" role="region" aria-label="${visit.say(VERDICT_WORDS[verdict])}">
      <table>
        <thead>
          <tr>
            <th scope="col">${visit.say(WORDS.trxId)}</th>
            <th scope="col">${visit.say(TEXT.theirs)}</th>
            <th scope="col">${visit.say(TEXT.ours)}</th>
          </tr>
        </thead>
        <tbody>
          ${lines.map(
            ({ trxId, theirs, ours, paymentId, repeated }) =>
              html`<tr>
                <th scope="row">
                  ${paymentId === null ? renderCode(trxId) : html`<a href="${visit.inStore(`payments/${paymentId}`)}">${renderCode(trxId)}</a>`}
                  ${repeated === true && visit.say(TEXT.repeated)}
                </th>
                <td>${money(theirs)}</td>
                <td>${money(ours)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${count > lines.length && html`<p class="hint">${visit.say(TEXT.cut)}</p>`}
  </section>`;
}

function renderUpload(visit: Visit): Markup {
  const own = visit.store.wallets.map(({ provider }) => provider);
  const providers = [...new Set([...own, ...WALLETS.list().map(({ code }) => code)])];
  const column = (name: 'dateColumn' | 'trxIdColumn' | 'amountColumn') =>
    renderField(visit, { name, label: TEXT[name], maxlength: 100 });
  const fields = html`${renderSelect(visit, {
      name: 'provider',
      label: WORDS.wallet,
      choices: providers.map((provider) => ({
        value: provider,
        text: walletName(visit, provider) ?? provider,
      })),
    })}
    <details>
      <summary>${visit.say(TEXT.columns)}</summary>
      ${column('dateColumn')} ${column('trxIdColumn')} ${column('amountColumn')}
    </details>
    ${renderFile(visit, { name: 'file', label: TEXT.file, hint: visit.say(TEXT.fileHint), accept: '.csv,text/csv' })}`;
  const form = { action: visit.inStore('reconciliation'), submit: TEXT.reconcile, withFile: true };
  return html`<section class="card narrow">
    <p>${visit.say(TEXT.lead)}</p>
    ${renderForm(visit, form, fields)}
  </section>`;
}
